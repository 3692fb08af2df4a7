"""What prose says: a lone answer, a final answer, an example, a refusal; and the ordinary sentences that say none of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.recovery import phrases
from settled.recovery.nodes import LiteralNode, NumberNode, WordNode
from settled.recovery.patterns import pattern
from settled.recovery.prose import is_example_marker, is_final_marker, is_refusal, scalar_in_prose
from settled.schema.expected import Choice, Expected, Kind

VERDICTS = ("approve", "reject", "escalate")


def due(kind: Kind, *choices: object) -> Expected:
    """A root of one kind."""
    expected = Expected(kind)
    expected.choices = tuple(Choice(choice) for choice in choices)
    return expected


def said(text: str, expected: Expected) -> list[object]:
    """The candidates of a text as plain values; each must stand where its place says."""
    values: list[object] = []
    for node in scalar_in_prose(text, expected):
        assert isinstance(node, (NumberNode, WordNode, LiteralNode))
        assert 0 <= node.start < node.end <= len(text)
        values.append(node.lexeme if isinstance(node, NumberNode) else node.text if isinstance(node, WordNode) else node.value)
    return values


@pytest.mark.parametrize(
    "text, lexeme",
    [
        ("The answer is **17**.", "17"),
        ("The factorial is 15511210043330985984000000.", "15511210043330985984000000"),
        ("= 42", "42"),
        ("**42**", "42"),
        ("There are 17 apples in the picture.", "17"),
        ("I counted the sheep. There are 42.", "42"),
        ("The answer is -5.", "-5"),
        ("Die Antwort lautet 17.", "17"),
        ("La respuesta es 17.", "17"),
        ("La réponse est 17.", "17"),
        ("答案是17。", "17"),
        ("答えは17です。", "17"),
        ("6 × 7 = 42\nAnswer: 42", "42"),
        ("Step 1: 6*7. Step 2: done.\n\nFinal answer: **42**", "42"),
        ("3 + 4 is not 8.\nAntwort: 7", "7"),
        (r"Since 6 times 7: \boxed{42}", "42"),
    ],
)
def test_one_number(text: str, lexeme: str) -> None:
    """The only number of a sentence that stands as its answer, or the marked one that comes last, is the candidate."""
    assert [lexeme] == said(text, due("integer"))
    assert [lexeme] == said(text, due("decimal"))


@pytest.mark.parametrize(
    "text",
    [
        "Somewhere between 3 and 5, I would say.", "3-5", "17 or 18", "Answer: 17 or 18", "6 × 7 = 42", "It is about 17.",
        "Roughly 40",
        "~40", "At least 3.", "More than 10.", "Ungefähr 40", "Environ 40", "Son unos 40", "約17です", "It is not 17.",
        "On page 17.",
        "17%", "17万です", "3 million", "The answer is 3 million.", "minus 5", "The answer is minus 5", "2024-05-01", "10:30",
        "P1",
        "1. First I counted.", "I could not count; only 3 images loaded.", "The question has 3 parts.", "Is it 17?", "17 or so",
        "The answer is 17, or maybe eighteen.", "The answer is 5.\nOr is it 6?", "Answer: 5. Answer: 6", "2^10", "1/2", "x17",
        "17x",
        "For example: 17", "I can't say; the answer is 17", "Probably 17.", "Answer: about 17",
        "If it rains, the answer is 17.", "none", "", "The answer is 34 months.", "The answer is 365 days.",
        "17 kg", "Answer: 17 °C",
        "Final answer: 34 months", "Answer: 34 (months)", "The answer in months is 34.", "Answer in weeks: 34",
        "The total is 34 EUR.",
        "The answer is 5 %.", "Die Antwort lautet 34 Monate.", "La respuesta es 34 meses.", "La réponse est 34 mois.",
        "The answer is $ 17.", "It was 12, now fewer.", "The answer is 12.000.",
    ],
)  # fmt: skip
def test_no_one_number(text: str) -> None:
    """Ranges, several numbers, approximations, denials, labels and units of counting give no single candidate."""
    assert 1 != len(said(text, due("integer")))


@pytest.mark.parametrize("text, lexeme", [("The mean is 7.5.", "7.5"), ("= 1e5", "1e5"), ("The total is 12,345.67.", "12345.67")])
def test_one_decimal(text: str, lexeme: str) -> None:
    """A decimal keeps its digits."""
    assert [lexeme] == said(text, due("number"))


def test_two_readings_are_no_candidate() -> None:
    """A number that has two readings is none; a whole number has one."""
    assert ["12345"] == said("The total is 12,345.", due("integer"))
    assert [] == said("The total is 1,234.", due("decimal"))


@pytest.mark.parametrize(
    "text, truth",
    [
        ("Yes.", True), ("Yes, it does.", True), ("**Yes** - it is.", True), ("True", True), ("Answer: yes", True),
        ("Ja, das stimmt.", True),
        ("Sí, claro.", True), ("Oui, absolument.", True), ("はい、そうです。", True), ("是的。", True), ("Да.", True),
        ("No, it does not.", False),
        ("The answer is **no**.", False), ("Nein.", False), ("Não, de jeito nenhum.", False), ("いいえ。", False),
        ("The statement is true.", True), ("It is **true**.", True), ("The claim is false. The letter says 31.", False),
        ("Die Aussage ist wahr.", True), ("L'affirmation est fausse.", False), ("La afirmación es cierta.", True),
        ("No, it is closed.", False), ("不是。",
        False), ("FALSE", False),
    ],
)  # fmt: skip
def test_leading_truth(text: str, truth: bool) -> None:
    """A leading yes or no with a stop behind it is a truth value, in many languages."""
    assert [truth] == said(text, due("boolean"))


@pytest.mark.parametrize(
    "text",
    [
        "", "Yes and no", "Yes, but not always.", "Yes, if it rains.", "Yes, it is not broken.", "Yes? Hard to say.",
        "Yes!\nNo, wait.",
        "No, that's right.", "No idea", "No problem, it is done.", "No. 5 is broken", "Si, claro", "Maybe yes",
        "Yes, probably.", "Yesterday.",
        "It is true that the gate is closed.", "The statement is not true.", "The statement is true or false.",
        "The statement is true?", "The statement is true, unless it rains.", "Half of it is true.", "No, it does.", "yes: 0",
        "The statement is false. That is true.", "No: data missing", "Yes, or no.", "1",
    ],
)  # fmt: skip
def test_no_leading_truth(text: str) -> None:
    """What is taken back, hedged or goes on as another word is no truth value."""
    assert [] == said(text, due("boolean"))


@pytest.mark.parametrize(
    "text, choice",
    [
        ("My verdict: approve.", "approve"),
        ("I would escalate this.", "escalate"),
        ("I recommend we **Reject** the draft.", "reject"),
        ("After review: ESCALATE. Escalate!", "escalate"),
        ("Ich wähle „approve“.", "approve"),
        ("Erst dachte ich: approve. Endgültige Antwort: reject", "reject"),
        ("At first: approve.\n\n**Final answer:** reject.", "reject"),
    ],
)
def test_one_choice(text: str, choice: str) -> None:
    """The only member that is named is the candidate."""
    assert [choice] == said(text, due("choice", *VERDICTS))


@pytest.mark.parametrize(
    "text",
    [
        "I would not approve this as it stands.", "I strongly disapprove of the wording.", "approve or reject",
        "Approve/reject", "Not approve",
        "I'd approve if they fix it.", "Ich würde nicht approve wählen.", "Je ne veux pas approve", "No reason to approve",
        "pre-approve",
        "approved", "I approve, but the wording needs work.", "Should I approve?", "Approve/decline", "I cannot approve",
        "hard to approve",
        "For example, approve.", "", "不approve", "Maybe approve.", "Either approve it or leave it.",
        "approve is wrong", "approve would be wrong", "approve seems wrong", "approve ist falsch", "reject is the wrong choice",
        "everything except reject", "approve was my first idea", "approve was the draft", "nothing to approve", "weder approve",
        "statt approve", "approve = false", "They want to approve it. I disagree.", '"approve" is what they want',
        "such as approve",
        "were it complete, approve", "approve after changes", "approve in part", "partially approve", "70% approve", "❌ approve",
        "Final answer: approve or reject", "Final answer: approve. Final answer: reject", "First approve. Final answer: reject?",
        "approve. Final answer: not reject", "Final answer: approve. Then reject", "approve. The final answer could be reject",
    ],
)  # fmt: skip
def test_no_one_choice(text: str) -> None:
    """Denied, conditional, several or merely similar members give no single candidate."""
    assert 1 != len(said(text, due("choice", *VERDICTS)))


def test_longest_choice() -> None:
    """A member inside a longer member is not named by it."""
    assert ["very_positive"] == said("It is very positive.", due("choice", "positive", "very_positive"))


def test_letters_are_no_words() -> None:
    """Where members are single letters, no sentence names one."""
    assert [] == said("A fine day, grade top.", due("choice", "a", "b", "top"))


@pytest.mark.parametrize("kind", ["text", "object", "list", "date", "opaque", "union"])
def test_only_scalars(kind: Kind) -> None:
    """Nothing but a scalar is looked for."""
    assert [] == said("The answer is 17.", due(kind))


@pytest.mark.parametrize(
    "line",
    [
        "Final answer:", "Final:", "The final answer is", "Corrected version:",
        "I had counted one twice. Corrected version:\n```json\n",
        "Corrected:", "Correction:", "Revised version:", "Here is the updated list:", "**Final answer:**",
        "So the final result is:", "Correct answer:",
        "Error: 13 no es múltiplo de 3.\nRespuesta final:", "Versión corregida:", "Corregido:", "Endergebnis:",
        "Endgültige Antwort:", "Korrigiert:",
        "Korrigierte Fassung:", "Réponse finale :", "Version corrigée :", "Risposta finale:", "Versione corretta:",
        "Resposta final:", "Versão corrigida:",
        "Eindantwoord:", "Definitief antwoord:", "Gecorrigeerde versie:", "Ostateczna odpowiedź:", "Окончательный ответ:",
        "Исправленная версия:",
        "最终答案：", "修正后：", "更正：", "最終的な答え：", "修正版：", "訂正：", "최종 답변:",
    ],
)  # fmt: skip
def test_final(line: str) -> None:
    """Words for a final or corrected answer are known in many languages."""
    assert is_final_marker(line)


@pytest.mark.parametrize(
    "line",
    [
        "", "First pass:", "Primer intento:", "Option A", "Review 2:", "Final exam scores:", "This is not the final answer:",
        "Draft, before the final version:",
        "Finally:", "The final answer comes later. First the draft:", 'Final answer: {"a": 1}\nand also',
        "Hier ist das Ergebnis:", "Pretty:",
        "The updated timetable of the ferry lists these stops for the island:",
    ],
)  # fmt: skip
def test_not_final(line: str) -> None:
    """Drafts, and words that only resemble such marks, are none."""
    assert not is_final_marker(line)


@pytest.mark.parametrize(
    "before",
    [
        "A valid answer has this format:\n```json\n", "Por ejemplo ", "For example: ", "For instance, a ticket could be ",
        "details such as ", "e.g. ",
        "Use this format:", "Please answer in the following format:", "The answer would look like this:",
        "It should look like ", "Template:", "Schema:",
        "The schema is ", "Expected format:", "Example:", "**Example output:**", "Here is an example:", "Sample response:",
        "Zum Beispiel: ",
        "Das Format, z. B. ", "Beispiel:", "Folgendes Format:", "Das Ergebnis würde so aussehen:", "Par exemple : ",
        "Voici un exemple :", "p. ex. ",
        "Ad esempio ", "Ecco un esempio:", "Por exemplo: ", "Neste formato:", "Bijvoorbeeld ", "In dit formaat:", "Np. ",
        "Na przykład: ", "Например: ",
        "例えば ", "例：", "例如：", "示例：", "格式如下：", "예를 들어 ", "Till exempel ", "Tiene este formato:",
        "Sous ce format :", "If it were a circle, I would answer ", "Had it been a circle, I would have answered ", "Do not use ",
        "You should never answer with ", "This would be wrong: ", "An incorrect answer is ", "Wrong:", "Das wäre falsch: ",
        "The user asked me to output ", "Sería incorrecto: ", "If the letter had named her, the answer would be ",
    ],
)  # fmt: skip
def test_example(before: str) -> None:
    """Words for an example, a format, a schema or a template are known in many languages."""
    assert is_example_marker(before)


ORDINARY = [
    "", "Here's the calendar entry you asked for:\n\n```json\n", "Voici l'analyse demandée. L'auteur dit « pas mal du tout » :",
    "so my answer is ",
    'The schema is {"type": "object"}, so my answer is ', "No staff are named in the text, so: ", "Reading follows ", "Result:",
    "Extracted:",
    "Several remarks were off the record and I left them out, as you asked:", "Here is the contact in the requested JSON format:",
    "Note that the age was derived from the year of birth:", "I could not find an email, so I left it out.\n", "Compact: ",
    "Review 1: ",
    'I filled the template "{city} to {city}" with the stops you listed (see note [2]) and got:\n\n', "Antwort: ",
    "Hier ist das Ergebnis:",
    "Aquí tienes el contacto:", "Ecco il contatto richiesto:", "Aqui está o contato:", "Hier is het contact:", "以下是结果：",
    "結果は次のとおりです：",
    "Her mail is jane@example.com:", "Here is the object matching the schema you gave:", "The water sample gave:",
    "For example, it rained. The answer:",
    "The format was odd. I read it as:", "Fruit (e.g. apples) counted:", "Вот ответ:", "Proszę, oto wynik:",
    "Following your example, here is the record:\n", "Nach deinem Beispiel hier der Eintrag: ",
    "Using the format from your example:\n", "The example you sent was clear.\n", "For the example company we have:\n",
    "This follows the schema.\n", "The record looks like this:\n", "It is impossible to say more.",
    "Die Seite 2 ist unleserlich, der Kontakt steht auf Seite 1:\n",
    "As an AI model I cannot call her, but here is the record:\n",
    "If you need more, ask. Here is the entry: ", "As you asked me to return JSON: ", "My first count was wrong. This is right: ",
    "If I read it right, it is ", "If it had no email I left it out: ", "I did not use the second page. Result:",
    "The table lists {quantity} barrels and a price that I could not read; the clerk's \"ditto\" was resolved.",
    "The letter does not mention an email, so it is null.", "The letter does not say how old she is.",
    "The photo is too dark in places, but three people can be seen.", "There is one name which I can't make out.",
]  # fmt: skip


@pytest.mark.parametrize("before", ORDINARY)
def test_ordinary_introduction(before: str) -> None:
    """An ordinary introduction is neither an example nor a refusal nor a mark of the final answer."""
    assert (False, False, False) == (is_example_marker(before), is_refusal(before), is_final_marker(before))


@pytest.mark.parametrize(
    "text",
    [
        "The page is blank, so I cannot extract anything.", "Thank you, but I cannot help.", "I can't find the document.",
        "However, the attached scan is unreadable, so I can't extract the real figures.",
        "I’m sorry, but I can’t share personal details.",
        "I'm sorry, I am not able to open tickets for people outside the organisation.", "I cannot help with that.",
        "I am unable to read the image.",
        "Unable to process the request.", "The document cannot be opened.", "It is not possible to extract the data.",
        "No text was provided.",
        "There is no attachment.", "I don't have access to the file.", "I do not have enough information.",
        "Please provide the text of the article.",
        "I must decline.", "As an AI language model, I do not do this.", "The image is illegible.", "I could not read the scan.",
        "Leider kann ich ohne Anmeldung kein Ticket anlegen.", "Ich kann die Datei nicht öffnen.",
        "Das ist leider nicht möglich.",
        "Ich bin nicht in der Lage, das zu lesen.", "No puedo contar las frutas porque la imagen no se ha cargado.",
        "No es posible leer el archivo.",
        "Je ne peux pas lire ce document.", "Impossible de lire le fichier.", "Je n'ai pas accès au fichier.",
        "Non posso aiutarti.", "Non riesco a leggere il file.",
        "Não posso ajudar.", "Não consigo abrir o arquivo.", "Ik kan het bestand niet openen.",
        "Helaas kan ik geen ticket aanmaken.",
        "Nie mogę otworzyć pliku.", "Я не могу прочитать файл.", "Невозможно прочитать.",
        "申し訳ありませんが、お答えできません。", "画像を読み取れません。",
        "抱歉，我无法读取图片。", "我不能提供这些信息。", "파일을 열 수 없습니다.", "Jag kan tyvärr inte läsa filen.",
        "Jeg kan ikke åpne filen.", "Nemohu to přečíst.",
        "Sorry, the photograph is too dark to count anything; see the quality policy [3] for what is needed.",
        "The letter does not say who is coming.", "The letter names nobody.", "The text doesn't contain any data.",
        "Der Brief nennt niemanden.", "La carta no menciona a nadie.", "La lettre ne mentionne personne.",
        "Der Scan ist unleserlich, daher gibt es nichts.", "I cannot read it, but here is the template:",
        "You attached an image that I could not read.", "I am sorry that I cannot help.", "It is a pity that I cannot help.",
    ],
)  # fmt: skip
def test_refusal(text: str) -> None:
    """That the task cannot be done is understood in many languages."""
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't find an email for her.", "I cannot thank you enough.", "I could not find an email, so I left it out.",
        "I can't confirm the age, but the letter says 31.",
        "I cannot read the last line, so I omitted it.",
        "N'hésitez pas à me transmettre d'autres avis.", 'She wrote "I can\'t come" in the mail.',
        "Kann ich sonst noch helfen?", "Bring gloves!",
        "I can do more if you like.", "He cannot swim.", "The gate does not open.",
        "Ich konnte keine E-Mail finden, daher null.", "No encontré el correo.",
        "Je n'ai pas trouvé d'adresse.", "メールは確認できませんでしたので省略しました。", "无法确认邮箱，因此留空。",
        "No staff are named in the text.",
        "Note that the age was derived from the year of bir", "The second guest was not named.", "L'e-mail n'est pas indiqué.",
        "There is no email.",
        "These are the days of the first four months of a year that is not a le", "No email was provided.",
        "Do not hesitate to ask.",
    ],
)  # fmt: skip
def test_no_refusal(text: str) -> None:
    """A detail that was not found, quoted speech and plain negations refuse nothing."""
    assert not is_refusal(text)


@pytest.mark.parametrize("row", phrases.REFUSALS, ids=lambda row: str(row[1])[:40])
def test_refusal_signs(row: tuple[str, str]) -> None:
    """Each pattern of the table compiles and is in lower case, as the text is that it meets."""
    sign, source = row
    assert sign == sign.casefold()
    assert pattern(source).flags


@given(st.text() | st.text(alphabet="yesno 17.,-%:\n*answer{}İ"), st.sampled_from(["integer", "decimal", "boolean", "choice"]))
def test_never_raises(text: str, kind: Kind) -> None:
    """No text makes them raise."""
    said(text, due(kind, *VERDICTS, "no"))
    is_final_marker(text)
    is_example_marker(text)
    is_refusal(text)


@given(st.integers(-(10**40), 10**40))
def test_each_digit_is_kept(number: int) -> None:
    """A whole number in a sentence is that number, however long."""
    assert [str(number)] == said(f"The answer is {number}.", due("integer"))


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1 ",
        "a",
        "a ",
        " ",
        "\n",
        ".",
        "(",
        '"',
        "ich kann ",
        "approve ",
        "yes, ",
        "*",
        "}",
        "例",
        "answer: 1\n",
        "no ",
        "“",
        "-1",
    ],
)
def test_long_texts_are_fast(unit: str) -> None:
    """The time for a long text grows with its length only."""
    text = unit * (40_000 // len(unit))
    started = time.perf_counter()
    for kind in ("integer", "boolean", "choice"):
        scalar_in_prose(text, due(kind, *VERDICTS))
        scalar_in_prose(f"answer: {text}", due(kind, *VERDICTS))
    is_final_marker(text)
    is_example_marker(text)
    is_refusal(text)
    assert time.perf_counter() - started < 20
