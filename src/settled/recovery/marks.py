"""The marks that stand around a payload, as tables: reasoning, channels, tokens, turns, fences, tags, opening brackets."""

from __future__ import annotations

import re

MARK = re.compile(
    r"(?P<code>(?<!`)`(?!`)[^`\n{\[]{1,100}`(?!`))"
    r"|(?P<channel><\|channel\|>\s*(?P<name>\w+)[^<{\[\n]{0,80}(?:<\|constrain\|>\w+)?(?:<\|message\|>)?)"
    r"|(?P<turn><\|(?:im_end|eot_id|eom_id|return|call|endoftext|end_of_text|end_of_turn|user|observation)\|>|</s>|<end_of_turn>"
    r"|<｜end▁of▁sentence｜>|<\|im_start\|>\s*(?:user|system)|<\|start\|>\s*user|<start_of_turn>\s*user|<\|start_header_id\|>\s*(?:user|system)"
    r"|(?:\A|\n)[ \t]*(?:\#{2,3} )?(?:Human|User|Instruction)s?:)"
    r"|(?P<reasoning>[\[◁](?P<close>/?)(?:THINK|think|thinking|reasoning)[\]▷]|<\|(?:begin|(?P<close2>end))_of_thought\|>"
    r"|<(?P<close3>/?)seed:think>)"
    r"|(?P<token><\|start\|>\s*assistant|<\|(?:im_start|start_header_id)\|>\s*assistant|<start_of_turn>\s*model|<\|[^<>|\n]{1,60}\|>"
    r"|<｜[^<>｜\n]{1,60}｜>|\[/?INST\]|\[/?TOOL_CALLS\]|<s>)"
    r"|(?P<remark><!--)"
    r"|(?P<fence>`{3,}|~{3,})"
    r"|(?P<tag></?(?P<tagname>[A-Za-z_][\w.-]{0,60})(?:=[^<>\n]{0,80}|\s[^<>\n]{0,200})?/?>)"
    r"|(?P<call>(?<![\w.])[A-Za-z_][\w.]{0,60}\((?=[ \t\r\n]*[A-Za-z_]\w{0,60}[ \t]*=(?![=>])))"
    r"|(?P<open>[{\[｛［])"
)
"""Any mark; the group that matched is its kind."""
REPLIES = re.compile(r"\n[ \t]*(?:\#{2,3} )?(?:Assistant|AI|Model|Bot|Response):")
"""Where the answer begins in a transcript of turns."""
OF_USER = re.compile(r"user|system|observation")
"""A turn that was said to the model."""
ANSWERS = re.compile(r"<\|(?:im_start|start_header_id|start)\|>\s*assistant|<\|assistant\|>|<start_of_turn>\s*model")
"""Where the answer begins among special tokens."""
KINDS = ("channel", "code", "turn", "reasoning", "token", "remark", "fence", "tag", "call", "open")
"""The kinds of mark: the names of the groups of `MARK`."""
REASONING = frozenset(
    (
        "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis", "scratchpad", "draft", "drafts",
        "tool_response", "tool_result", "function_response", "function_result", "observation",
        "input", "inputs", "prompt", "question", "query", "context", "document", "documents", "source", "instructions",
        "plan", "critique", "example", "examples", "schema", "inner_monologue", "chain_of_thought", "cot",
    )
)  # fmt: skip
"""Tags around what is no part of the answer."""
FINAL_TAGS = frozenset(("answer", "final", "final_answer", "finalanswer", "final-answer"))
"""Tags around a final answer."""
CALL_TAGS = frozenset(("tool_call", "tool_calls", "function_call", "function_calls", "tool_use", "toolcall"))
"""Tags around a call, written as text."""
BLOCK_TAGS = frozenset(
    ("output", "result", "response", "json", "code", "pre", "structured_output", "data", "value", "object", "payload", "solution")
)
"""Tags around some block."""
JSON_LABELS = frozenset(("json", "json5", "jsonc", "jsonl", "ndjson"))
"""Labels of a fence that say JSON."""
LABEL = re.compile(r"[ \t]*([\w+#.-]*)[ \t]*")
"""The label of a fence."""
IS_MEMBER = re.compile(r"[\"'”][ \t]*[:：][ \t\r\n]*\Z")
"""What stands before a bracket that is the value of a member whose object is not open."""
