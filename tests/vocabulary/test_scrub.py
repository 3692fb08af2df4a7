"""Texts of errors leave the library without keys."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from settled.vocabulary.scrub import clean, is_unicode, scrubbed, text_of


@pytest.mark.parametrize(
    "text, clean",
    [
        ("bad key sk-abcdef123456", "bad key [hidden]"),
        ("bad key sk-proj-AbC_123-xyz789", "bad key [hidden]"),
        ("sk-ant-api03-abcdefghij", "[hidden]"),
        ("gsk_abcdefghij", "[hidden]"),
        ("hf_abcdefghijkl", "[hidden]"),
        ("xai-abcdefghij", "[hidden]"),
        ("AIzaSyA1234567890abcdef", "[hidden]"),
        ("ghp_abcdefghij1234567890", "[hidden]"),
        ("Authorization: Bearer abcdef.ghij-klm", "Authorization: Bearer [hidden]"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic [hidden]"),
        ("api_key=abcd1234 wrong", "api_key=[hidden] wrong"),
        ('{"api-key": "abcd1234", "a": 1}', '{"api-key": "[hidden]", "a": 1}'),
        ("?token=abcd1234&x=1", "?token=[hidden]&x=1"),
        ("password: hunter22", "password: [hidden]"),
        ("https://user:pass@example.org/x", "https://[hidden]@example.org/x"),
        ("https://example.org/x", "https://example.org/x"),
        ("the task-list is empty", "the task-list is empty"),
        ("no such ship", "no such ship"),
        ("", ""),
    ],
    ids=[
        "openai", "openai-project", "anthropic", "groq", "hugging-face", "xai", "google", "github", "bearer", "basic", "pair",
        "json", "query", "password", "url", "plain-url", "no-key", "plain", "empty",
    ],
)  # fmt: skip
def test_keys_are_hidden(text: str, clean: str) -> None:
    """What looks like a key is hidden, and everything else stays."""
    assert clean == scrubbed(text)


@pytest.mark.parametrize("length, limit, expected", [(500, 500, 500), (501, 500, 503), (9, 4, 7)], ids=["fits", "over", "short"])
def test_texts_are_cut(length: int, limit: int, expected: int) -> None:
    """A text beyond the limit is cut, and says so."""
    assert expected == len(scrubbed("x " * (length // 2) + "x" * (length % 2), limit=limit))


def test_hidden_before_cut() -> None:
    """A key is hidden before the text is cut, so that no half of one is left."""
    assert "sk-abc" not in scrubbed("x" * 495 + " sk-abcdef123456")


class City(BaseModel):
    """A city."""

    name: str
    people: int = Field(ge=0)


@pytest.mark.parametrize(
    "form, given, text",
    [
        (
            City,
            {"people": "many secrets"},
            "City: name: Field required; people: Input should be a valid integer, unable to parse",
        ),
        (int, "secret", "int: Input should be a valid integer, unable to parse"),
    ],
    ids=["places", "no place"],
)
def test_words_of_pydantic(form: type, given: object, text: str) -> None:
    """A ``ValidationError`` says what does not fit and where; the input, and an address for developers, are left out."""
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(form).validate_python(given)
    assert text_of(refused.value).startswith(text)
    assert "secret" not in text_of(refused.value)
    assert text_of(refused.value, named=True).startswith("ValidationError: ")


@pytest.mark.parametrize(
    "text, written",
    [
        ("Oslo", "Oslo"),
        ("Z\u00fcrich", "Z\u00fcrich"),
        ("\u4e2d\U0001f600", "\u4e2d\U0001f600"),
        ("", ""),
        ("a\ud83d", "a\\ud83d"),
        ("\ude00\u00e9", "\\ude00\u00e9"),
    ],
    ids=["ascii", "latin", "wide", "empty", "first-half", "second-half"],
)
def test_lone_surrogates_are_written_out(text: str, written: str) -> None:
    """What has no UTF-8 form is written out, and every other text is the same object as before."""
    assert written == clean(text)
    assert (clean(text) is text) == is_unicode(text) == (written == text)
