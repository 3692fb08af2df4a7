"""The words of many languages that prose is judged by, as tables: what refuses, what introduces an example, what hedges.

Patterns are matched against casefolded text. A row of ``REFUSALS`` is looked at only when one of its plain signs occurs.
"""

from __future__ import annotations

_SOURCE_SAYS = (
    r"\b(?:letter|text|document|article|notes?|message|e-?mail|page|image|photo|photograph|picture|passage|report|transcript"
    r"|source|input|scan|file) (?:simply |just |itself )?"
)
_SAY = (
    r"(?:say|mention|state|name|list|contain|give|specify|tell(?: us| me)?|show|include|identify|provide|indicate)s? "
    r"(?:who\b|whom\b|(?:anything|anyone|anybody|any (?:names?|people|persons?|contacts?|figures|amounts?|numbers?|data"
    r"|information|of (?:it|them|this|these)))(?=\W*$))"
)

REFUSALS: tuple[tuple[str, str], ...] = (
    ("'t ", r"\bi (?:really |simply |just )?(?:can't|won't be able|won't (?:provide|share|help|assist|create|answer|generate"
            r"|disclose|give))\b"),
    ("not ", r"\bi (?:really |simply )?(?:cannot|can not|am not able|was not able|will not (?:be able|provide|share|help"
             r"|assist|create|answer))\b"),
    ("able to", r"(?:\bi'm not able|\bi wasn't able|\b(?:am|was|i'm|were) unable|^unable) to\b"),
    ("could", r"\bi (?:couldn't|could not) (?:read|open|access|load|process|extract|view|complete|create|count|parse|identify"
              r"|see)\b"),
    ("cannot", r"\b(?:cannot|can't|could not|couldn't) be (?:read|opened|loaded|processed|accessed|extracted|completed"
               r"|answered)\b"),
    ("cannot", r"^(?:sorry, )?(?:cannot|can't) (?:extract|read|process|open|access|complete|comply|answer|provide|create"
               r"|count)\b"),
    ("possible", r"\b(?:not possible|impossible) (?:for me )?to\b|\b(?:it|this|that) is(?: not |n't |n’t )possible\b"),
    ("have", r"\bi (?:don't|do not) have (?:access|permission|enough|sufficient|the (?:ability|image|file|document|text"
             r"|data)\b|any (?:data|image|document|text)\b)"),
    ("have no", r"\bi have no (?:access|permission|data|image|document|text|way)\b"),
    ("no ", r"\bno (?:data|text|image|photo|document|attachment|file|information|content|input)(?: (?:was|were|is|are|has been"
            r"|have been))?"
            r" (?:provided|attached|given|available|supplied|uploaded|included|received)\b"),
    ("no ", r"\bthere (?:is|was) no (?:data|text|image|photo|document|attachment|file|content|input)\b"),
    ("le", r"\b(?:scan|image|photo|picture|file|document|attachment|pdf|audio|recording) (?:is|was) (?:unreadable|illegible"
             r"|unavailable|not (?:readable|available))\b"),
    ("too ", r"\b(?:scan|image|photo|photograph|picture|file|document|page|audio|recording|text|letter|(?:hand)?writing|video)s?"
             r" (?:is|was|are|were) (?:far |much |simply |just )?too [a-z]{3,20} (?:for me )?to \w"),
    ("n't ", _SOURCE_SAYS + r"(?:doesn't|didn't|don't) " + _SAY),
    ("not ", _SOURCE_SAYS + r"(?:does not|did not|do not) " + _SAY),
    ("no", _SOURCE_SAYS + r"(?:names?|mentions?|lists?|contains?|gives?|shows?|says?|states?|holds?|describes?) "
           r"(?:nobody|no one|no-one|nothing|none(?: of (?:it|them|this))?"
           r"|no (?:names?|people|persons?|contacts?|figures|amounts?|numbers?|dates?|data|information))(?=\W*$)"),
    ("n", r"\b(?:der|die|das|dem|den) (?:brief|text|dokument|nachricht|bild|foto|e-?mail|artikel|scan) "
          r"(?:nennt|enthält|erwähnt|sagt|zeigt) (?:niemanden|nichts|nicht, we[rnm]|keine\w? (?:angaben|namen|personen|daten"
          r"|informationen))\b"),
    ("no ", r"\b(?:la carta|el texto|el documento|el mensaje|la imagen|la foto) no (?:dice quién|menciona a nadie|nombra a nadie"
            r"|dice nada|menciona nada|contiene (?:nada|datos|información))"),
    ("ne ", r"\b(?:la lettre|le texte|le document|le message|l'image|la photo) ne (?:dit pas qui|mentionne personne"
            r"|nomme personne|dit rien|mentionne rien|contient (?:rien|aucun))"),
    ("please", r"\bplease (?:provide|upload|attach|paste)(?: me)?(?: with)? (?:the|your|an?) (?:\w+ )?(?:image|photo|document"
               r"|text|file|scan|article|transcript|data|email|invoice)\b"),
    ("decline", r"\bi (?:must|have to|will|need to|respectfully )?\s?decline\b"),
    ("refuse", r"\bi (?:must |have to |will )?refuse to\b"),
    ("as an ai", r"\bas an ai\b"),
    ("kann", r"\b(?:ich kann|kann ich)\b[^.!?\n]{0,120}?\b(?:nicht|kein\w{0,3}|nichts)\b"),
    ("konnte", r"\b(?:ich konnte|konnte ich)\b[^.!?\n]{0,120}?\bnicht (?:lesen|öffnen|laden|verarbeiten|auslesen|erkennen)\b"),
    ("darf", r"\b(?:ich darf|darf ich)\b[^.!?\n]{0,120}?\b(?:nicht|kein\w{0,3})\b"),
    ("möglich", r"\b(?:nicht möglich|unmöglich)\b"),
    ("in der lage", r"\bnicht in der lage\b"),
    ("leserlich", r"\bunleserlich\b(?!, (?:der|die|das|aber|doch)\b)"),
    ("no p", r"\bno (?:puedo|podemos|pude) \w|\bno puedo\b"),
    ("no ", r"\bno (?:me )?(?:es|fue|ha sido) posible\b|\bno se puede\b|\bno tengo (?:acceso|permiso)\b|\bno soy capaz\b"),
    ("imposible", r"\bimposible\b"),
    ("ne ", r"\bje ne (?:peux|suis pas (?:en mesure|autorisée?)|parviens)\b|\bil n'est pas possible\b"),
    ("je n'a", r"\bje n'(?:arrive pas|ai pas (?:accès|pu))\b"),
    ("impossible", r"\bimpossible d(?:e\b|')|\bm'est impossible\b"),
    ("non ", r"\bnon (?:posso|possiamo|riesco|sono in grado|è possibile|ho accesso|sono riuscit[oa])\b"),
    ("impossibil", r"\bimpossibile\b"),
    ("não ", r"\bnão (?:posso|podemos|consigo|consegui|é possível|foi possível|tenho acesso|sou capaz)\b"),
    ("impossível", r"\bimpossível\b"),
    ("ik ", r"\b(?:ik kan|kan ik)\b[^.!?\n]{0,120}?\b(?:niet|geen)\b"),
    ("niet ", r"\bniet (?:mogelijk|in staat)\b"),
    ("onmogelijk", r"\bonmogelijk\b"),
    ("nie ", r"\bnie (?:mogę|jestem w stanie|da się|mam dostępu|potrafię|udało mi się odczytać)\b"),
    ("niemożliwe", r"\bniemożliwe\b"),
    ("не ", r"\bне (?:могу|можем|в состоянии|имею доступа|удалось (?:прочитать|открыть|загрузить|распознать))\b"),
    ("невозможно", r"\bневозможно\b"),
    ("inte ", r"\b(?:jag kan|kan jag)\b[^.!?\n]{0,60}?\binte\b|\binte möjligt\b"),
    ("ikke ", r"\b(?:jeg kan|kan jeg)\b[^.!?\n]{0,60}?\bikke\b|\bikke mulig"),
    ("ne", r"\b(?:nemohu|nelze|není možné)\b"),
    ("mümkün", r"\bmümkün değil\b"),
    ("yapam", r"\byapam(?:am|ıyorum)\b"),
    ("ません", r"でき(?:かね)?ません|読み取れません|判読できません"),
    ("できない", r"できない"),
    ("不可能", r"不可能"),
    ("无法", r"无法"),
    ("無法", r"無法"),
    ("不能", r"(?:我|们|們)不能|不能(?:提供|为您|為您|读取|讀取|回答)"),
    ("没办法", r"没办法"),
    ("수 없", r"수 없"),
)  # fmt: skip
"""Signs that the task cannot be done: a plain part of the text, and the pattern that then decides."""

NO_REFUSAL = (
    r"(?:n't|not|unable to|able to) (?:confirm|verify|guarantee|vouch|promise|rule out|be (?:sure|certain)|thank|stress|wait"
    r"|help (?:but|noticing)|find (?!(?:(?:the|your|any) )?(?:image|photo|document|attachment|file|text|data|invoice|scan)\b))"
    r"|\bto (?:say|tell|add) (?:any )?more\b"
    r"|\bbut here(?:'s| is| are) (?:the|your|what i) (?!(?:\w+ )?(?:example|format|template|schema|sample|placeholder))"
    r"|\b(?:null|omitted|left (?:it|them|that|this|him|her|those)|leave (?:it|them|that|this)|skipped|left out|set (?:it|them) to"
    r"|left blank|leaving it)\b"
    r"|\b(?:finden|bestätigen|garantieren|ausschließen|ausgelassen|weggelassen|leer gelassen)\b"
    r"|\b(?:encontrar|confirmar|garantizar|verificar|asegurar|garantir|omití\w*|omitid\w+|vac[ií]o)\b"
    r"|\b(?:trouver|confirmer|garantir|vérifier|omis\w*|laissée?)\b|\b(?:trovare|confermare|garantire|omess\w+|lasciat\w)\b"
    r"|\b(?:deixei|omiti\w*)\b|\b(?:vinden|bevestigen|garanderen|weggelaten|leeg gelaten)\b|\b(?:znaleźć|potwierdzić|pominąłem"
    r"|pominięt\w+)\b"
    r"|\b(?:найти|подтвердить|гарантировать|пропущен\w*|пропустил\w?)\b|確認でき|見つけ|省略|空欄|留空|忽略|确认|找到|생략"
)
"""What shows that only one detail could not be had, and that the answer goes on without it."""

_INPUTS = (
    r"image|photo|photograph|picture|document|attachment|file|text|data|invoice|scan|letter|page|message|recording|audio|pdf"
    r"|video"
)

RELATIVES = (
    rf"\b(?:a|an|the|one|some|any|two|three|few|several) (?:[\w\-]{{1,30}} ){{0,2}}"
    rf"(?!(?:{_INPUTS}|pity|shame|fact|case|reason|problem|truth|point|issue|news|result|answer|upshot|feeling|fear)s? )"
    r"[\w\-]{1,30},? (?:that|which|whom|who) i (?:really |simply )?(?:could not|couldn't|cannot|can't|can not|was unable to"
    r"|was not able to|am unable to|am not able to) [^,;]{0,200}"
)
"""A clause about one thing that could not be had, in a sentence about another: it refuses nothing."""

UNREAL = (
    r"^\W*(?:if|had|were|suppose|supposing|imagine|assuming)\b[^.!?]{0,120}\b(?:would|i'd|it'd|could|might)\b"
    r"|\bif (?:it|this|that|there|they|he|she|you|i|the \w+) were\b|\bhad (?:it|this|that|there|they|he|she|you|i|the \w+) been\b"
    r"|^\W*were (?:it|this|that|there|they|the \w+)\b"
    r"|\bi(?:'d| would) have (?:answered|said|written|given|returned|replied)\b"
    r"|\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|cannot|can't|avoid|rather than|instead of|not to) "
    r"(?:us|output|return|answer|writ|reply|send|giv|say|copy|respond|print|produc|mak)(?:e|ing)?"
    r"(?: (?:with|in|like|as|this|that|something|anything|an?|the|answer|like this))*\W*$"
    r"|\b(?:is|are|be|looks|seems) (?:\w+ )?(?:wrong|incorrect|invalid|mistaken|faulty)\W*$"
    r"|^\W*(?:wrong|incorrect|bad|invalid|don't)\W*$"
    r"|\b(?:a|an|the|one|this|any) (?:wrong|incorrect|invalid|bad|faulty|broken|malformed) "
    r"(?:answer|output|version|reply|response|result|json|format|object|one|way|attempt|entry|record)"
    r"(?: (?:is|was|would be|might be|looks like|would look like))?(?: like)?(?: this)?\W*$"
    r"|\b(?:the (?:user|page|text|letter|document|e-?mail|website|note|message|attacker|comment)|they|he|she|it) "
    r"(?:asks?|asked|tells?|told|instructs?|instructed|wants?|wanted|orders?|ordered|says?|said)(?: (?:me|us|you))? to "
    r"(?:output|return|answer|write|reply|print|say|give|respond)(?: with)?\W*$"
    r"|\bfalsch (?:wäre|ist)\W*$|\b(?:wäre|ist) falsch\W*$|\bnicht (?:verwenden|ausgeben|antworten)\W*$"
    r"|\bverwende(?:n sie)? nicht\W*$"
    r"|^\W*(?:wäre|hätte|wenn) \w+[^.!?]{0,120}\b(?:würde|wäre|hätte)\b"
    r"|\bsería (?:incorrecto|erróneo|un error)\W*$|\bno (?:uses|utilices|respondas|use|utilice)\W*$"
    r"|\bserait (?:faux|incorrect)\W*$|\bn'utilisez pas\W*$|\bsarebbe (?:sbagliato|errato)\W*$|\bnon usare\W*$"
)
"""What shows that the words before a candidate suppose it, forbid it, or call it wrong."""

EXAMPLES = (
    r"(?<![\w.@\-])(?:for example|for instance|e\.\s?g\.|an? example|the example|example:|examples?\b)(?![\w@\-]|\.\w)"
    r"|\bsuch as[\s:]*$|\b(?:something|anything) like(?: this)?[\s:]*$|\blike so[\s:]*$"
    r"|\bsample (?:output|response|answer|reply|json|data|record|object|result)\b|^\W*sample\W*$"
    r"|\bplaceholders?\b|\bhypothetical\b"
    r"|\bpor ejemplo\b|\bp\. ?ej\.|\bejemplos?\b|\bzum beispiel\b|\bz\. ?b\.|\bbeispiel\w{0,20}|\bpar exemple\b|\bp\. ?ex\."
    r"|\bexemples?\b"
    r"|\b(?:ad|per) esempio\b|\besemp(?:io|i)\b|\bp\. ?es\.|\bpor exemplo\b|\bexemplos?\b|\bbijvoorbeeld\b|\bbijv\.|\bb\.v\."
    r"|\bvoorbeeld\w{0,20}"
    r"|\bna przykład\b|\bnp\.|\bprzykład\w{0,6}|\bнапример\b|\bпример\w{0,4}|\btill exempel\b|\bexempel\b|\bt\.ex\."
    r"|\bfor eksempel\b|\beksempel\b"
    r"|\bf\.eks\.|\bnapříklad\b|\bnapř\.|\bpříklad\w{0,4}|\besimerk\w{0,10}|\börne[kğ]\w{0,6}|例えば|たとえば|(?:^"
    r"|[\s、。（(])例[:：]|の例|サンプル|例如|比如|譬如|示例|样例|範例|范例"
    r"|예를 들어|예시|(?:^|\s)예[:：]"
)
"""What introduces an example, wherever it stands in the last sentence."""

FOLLOWED = (
    r"\b(?:following|based on|according to|matching|modelled on|nach|gemäß|siguiendo|según|suivant|selon|seguendo|secondo) "
    r"(?:your|the|that|this|deinem|ihrem|dem|tu|su|el|ton|votre|l'|il tuo) ?(?:\w+ )?"
    r"(?:examples?|beispiel\w?|ejemplo|exemple|esempio)\b(?=.{0,40}\b(?:here (?:is|are)|here's|hier|aquí|voici|ecco)\b)"
    r"|\b(?:the|your|that) examples? (?:(?:that )?you|company|page|site|domain)\b|\b(?:from|in|of|with) your examples?\b"
)
"""An example that the answer behind it only follows, or that is only spoken of."""

FORMATS = (
    r"\b(?:in|has|have|had|uses?|with|takes?|follows?|to|use) (?:this|the following|the same|such a"
    r"|the form of a) (?:json )?(?:format|form|schema|structure|shape|template)\b"
    r"|\b(?:would|should|could|might|must|will) look (?:something )?like\b|\blooks? (?:something )?like (?:this|so"
    r"|the following)\b"
    r"|\b(?:the|this|following|json|output|response|expected|required|your|my|a) (?:\w+ )?(?:schema|template|format"
    r"|structure)(?: (?:is|was|looks|reads|has|would be|follows)\b|\W*$)"
    r"|^\W*(?:json |output |expected |response )?(?:schema|template|format|structure)\W*$"
    r"|\b(?:este|siguiente|mismo) formato\b|\bformato siguiente\b|\bel (?:esquema|formato) es\b|\bplantilla\b|^\W*(?:esquema"
    r"|formato)\W*$"
    r"|\b(?:in diesem|folgendes|dieses|im folgenden) format\b|\b(?:sähe|sieht|so) (?:so )?aus(?:sehen)?\b|\bvorlage\b"
    r"|^\W*(?:schema|format)\W*$|\bdas schema (?:ist|lautet)\b"
    r"|\b(?:ce|au|le) format(?: suivant)?\W*$|\bressemblerait à\b|\ble schéma est\b|\bgabarit\b"
    r"|\b(?:questo|seguente) formato\b|\baspetto\W*$|\blo schema è\b|\bmodello\W*$|\b(?:neste|este|seguinte) formato\b"
    r"|\bo esquema é\b"
    r"|\b(?:dit|volgende|deze) (?:formaat|vorm|indeling)\b|\ber zo uitzien\b|\bsjabloon\b|\b(?:tym|następującym) formacie\b"
    r"|\bszablon\b"
    r"|\b(?:таком|следующем|этом) (?:формате|виде)\b|\bшаблон\b|形式(?:で|は|に)|テンプレート|スキーマ|如下格式|以下格式"
    r"|格式如下|模板|模式如下|다음 형식"
)
"""What introduces a format, a schema or a template."""

ANSWERS = (
    r"\b(?:here is|here's|here are|so my answer|my answer is|and got|matching|according to|following your|as requested"
    r"|requested|you (?:gave|asked|wanted|provided|specified)"
    r"|this follows|the (?:record|result|entry|contact) looks like"
    r"|filled|based on|conform\w*|adher\w*|hier ist|hier sind|ausgefüllt|aquí (?:está|tienes?|están)|voici|ecco|aqui está"
    r"|hier is|oto|вот)\b"
)
"""What shows that a format is only named beside an answer in it."""

FINALS = (
    r"\b(?:final|definitive) (?:answer|version|result|list|counts?|output|json|object|value|total|tally|decision|verdict|reply"
    r"|response|one)\b|^\W*final\W*$"
    r"|\b(?:corrected|revised|updated|amended|fixed)(?: \w+){0,2}\W*$|\b(?:correction|revision|update)\W*$"
    r"|\bcorrect (?:answer|version|result|list|counts?|output|json|object|value|total)\b"
    r"|\b(?:respuesta|versi[oó]n|lista|resultado|conteo|recuento) (?:final|definitiv[oa]|corregid[oa]|revisad[oa]"
    r"|actualizad[oa])\b"
    r"|\b(?:corregid[oa]|correcci[oó]n|definitiv[oa])\W*$|\bend(?:ergebnis|fassung|version|antwort|gültig\w{0,2})\b"
    r"|\b(?:finale?s?|korrigierte?s?|überarbeitete?s?|aktualisierte?s?|berichtigte?s?) (?:antwort|version|fassung|ergebnis"
    r"|liste)\b|\b(?:korrigiert|korrektur|berichtigt|berichtigung)\W*$"
    r"|\b(?:réponse|version|liste) (?:finale|définitive|corrigée|révisée|mise à jour)\b|\brésultat (?:final|définitif"
    r"|corrigé)\b|\bcorrigée?\W*$"
    r"|\b(?:risposta|versione|lista) (?:finale|definitiva|corretta|aggiornata|rivista)\b|\brisultato (?:finale|definitivo"
    r"|corretto)\b|\bcorrezione\W*$"
    r"|\b(?:resposta|versão|lista) (?:final|definitiva|corrigida|revisada|atualizada)\b|\b(?:correção|corrigid[oa])\W*$"
    r"|\beindantwoord\b|\bdefinitie(?:f|ve) (?:antwoord|versie)\b|\bgecorrigeerde?(?: versie)?\W*$|\bcorrectie\W*$"
    r"|\bostateczn\w{1,3} (?:odpowiedź|wersja|wynik)\b|\bpoprawion\w{1,3}(?: \w+)?\W*$|\bpoprawka\W*$"
    r"|\b(?:окончательн|итогов|исправленн)\w{1,3} (?:ответ|верси\w|результат|список)\b|\bисправлено\W*$|\bисправление\W*$"
    r"|\bslutgiltigt svar\b|\bendelig(?:t)? svar\b|\bnihai (?:cevap|yanıt)\b"
    r"|最终(?:的)?(?:答案|结果|版本)|最終(?:的な)?(?:答え|回答|答案|結果|版)|修正版?\W*$|修正(?:后|後|済み)|更正\W*$|更正后"
    r"|訂正(?:版|後)?\W*$|改正后|최종 (?:답변|답|결과)|수정(?:본|된)"
)
"""What marks the answer that follows as the final or corrected one."""

DRAFTS = (
    r"\b(?:not|no|nicht|pas|non|não|niet|nie|не|before|until|pending|draft|borrador|entwurf|brouillon|bozza|rascunho)\b"
    r"|不是|初稿|下書き"
)
"""What shows that a final answer is only spoken of."""

HEDGES = (
    r"\b(?:about|around|approx\w*|roughly|circa|ca|nearly|almost|at least|at most|more than|less than|fewer than|over|under"
    r"|up to|between|or so|maybe|perhaps"
    r"|probabl[ey]|possibly|might|could|guess|estimate[ds]?|somewhere|minus|negative|plus|or more|or less|likely|unsure"
    r"|ungefähr|etwa|rund|fast|mindestens|höchstens|mehr als|weniger als|über|unter|zwischen|vielleicht|vermutlich|wohl|oder"
    r"|aproximadamente|alrededor|unos|unas|cerca|casi|más de|menos de|al menos|entre|quizás|tal vez|probablemente|environ"
    r"|presque|au moins|plus de|moins de|peut-être"
    r"|circa|quasi|almeno|più di|meno di|tra|forse|aproximadamente|quase|pelo menos|mais de|menos de|talvez|ongeveer|bijna"
    r"|minstens|meer dan|minder dan|tussen|misschien"
    r"|około|prawie|co najmniej|ponad|między|może|около|почти|примерно|более|менее|между|возможно)\b"
    r"|[~≈≃≥≤<>±?？…]|\.\.\.|约|約|大约|大概|左右|至少|超过|以上|以下|ほど|くらい|ぐらい|およそ|たぶん|おそらく|负|負|マイナス"
    r"|或|または"
)
"""What makes a number or a choice less than said."""

NEGATIONS = (
    r"\b(?:not|no|never|neither|nor|none|without|cannot|\w{1,8}n['’]t|nicht|kein\w{0,3}|nie|niemals|ohne|ne|pas|non|jamais"
    r"|sans|não|nunca|jamás|sin|sem|senza|mai|niet|geen|nooit"
    r"|нет|не|без|ikke|inte|ej)\b|不|没|沒|未|无|無|ない|ません|なし|아니|없|않"
)
"""Words that say no."""

TURNS = (
    r"\b(?:but|however|although|though|if|unless|once|provided|whether|until|would have|instead|rather|either|or"
    r"|fail\w*|refus\w+|declin\w+|hesitat\w+|unwilling|against|too early|hard to|options?"
    r"|wait|actually|correction|hmm|aber|jedoch|obwohl|falls|wenn|sondern|oder|doch|pero|aunque|si|sino|mais|bien que|sauf|ou"
    r"|ma|però|se|mas|porém|embora|maar|hoewel|als|of|ale|jeśli|lub|но|если|или"
    r"|missing|unreadable|illegible|unclear|unknown|unfortunately|sorry|problems?|errors?|issues?|need|require[sd]?|please"
    r"|both)\b"
    r"|[?？/|]|但|如果|可是|もし|しかし|が、"
)
"""What turns, conditions or questions a statement."""

CONDITIONS = r"\b(?:if|unless|falls|wenn|si|se|als|jeśli|если)\b|如果|もし|[?？]"
"""What makes even a marked answer one of several cases, or a question."""

DENIALS = (
    r"\b(?:wrong|incorrect|mistaken|false|falsch|unwahr|sbagliato|incorrecto|errado|disagree\w*|except\w*|excluding|besides"
    r"|nothing|nobody|anything but|(?:was|is|as) (?:a |my |the )?draft|first (?:idea|thought|guess|draft|impression)"
    r"|initial(?:ly)?|originally|earlier"
    r"|previously|used to|formerly|weder|statt|anstatt|außer|zuerst|anfangs|zunächst|entwurf|excepto|salvo|plutôt|invece"
    r"|tranne|eccetto|partial(?:ly)?|partly|in part|half|teilweise|parcialmente|partiellement|conditional(?:ly)?"
    r"|they want|he wants|she wants|you want|asked to|asks to|want me to|told to|tempted|as if|such as|for (?:example|instance)"
    r"|avoid\w*|skip|stop|reverse[ds]?|retract\w*|withdr[ae]wn?|overturn\w*|rule[ds]? out|lack\w*|pending|were it|had it)\b"
    r"|[0-9] ?[%％]|(?:=|:|->|→)\W{0,4}(?:false|no|0|nein|non)\b|[❌☐✗✘≠]"
)
"""What takes a choice back that is named, or names it as another's wish."""

CONDITIONED = (
    r"[*_`\"'”»)]{0,4}[,:]? ?(?:after|once|when|while|subject to|as soon as|upon|assuming|in part|is what|was|were|nach(?:dem)?"
    r"|sobald|war|wäre|sous réserve|après|tras|después|previa|dopo|depois)\b"
)
"""What follows a choice and makes it less than said."""

UNITS = (
    r"(?:(?:milli|micro|nano)?seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|fortnights?|months?|quarters?"
    r"|years?|yrs?|decades?|centur(?:y|ies)|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|jahrzehnte?n?"
    r"|segundos?|minutos?|horas?|d[ií]as?|noches?|semanas?|mes(?:es)?|años?|anos?|secondes?|heures?|jours?|nuits?|semaines?"
    r"|mois|ans?|années?|secondi|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|m[eê]s|seconden|uur|uren|dag(?:en)?"
    r"|weken|week|maand(?:en)?|jaar|jaren|godzin\w*|dni|tygodni\w*|miesi\w+|lat|lata|рубл\w*|часов|часа?|дн(?:я|ей)|недел\w+"
    r"|месяц\w*|лет|года?|percent\w*|pct|prozent\w*|procent\w*|degrees?|grad|grados?|degrés?|°\w?"
    r"|kilo(?:gram|met(?:er|re)|watt|byte)?s?|kilogramm|kilometer|grams?|grammes?|gramm|gramos?|tons?|tonnes?|tonnen?|ounces?"
    r"|oz|lbs?|met(?:er|re)s?|metern?|metros?|mètres?|metri|cent[i]met(?:er|re)s?|mill?imet(?:er|re)s?|miles?|meilen?|inch(?:es)?"
    r"|foot|feet|ft|yards?|acres?|hectares?|lit(?:er|re)s?|litern?|litros?|litri|gallons?|pints?|bytes?|bits?|pixels?|volts?"
    r"|amps?|watts?|joules?|calories?|kcal|knots?|mph|kmh|kg|mg|km|cm|mm|ml|cl|dl|kb|mb|gb|tb|kw|kwh|mw|hz|khz|mhz|ghz|ms|h|s"
    r"|d|g|l|t|m|px|pt|dollars?|euros?|pounds?|pence|pfund|yen|yuan|cents?|francs?|franken|pesos?|rupees?|rupien|kronor|kroner"
    r"|usd|eur|gbp|jpy|chf|cad|aud|nzd|cny|inr|sek|nok|dkk|pln|czk|huf|brl|mxn|zar|krw|sgd|hkd|try)\b|[%％$€£¥₹₩°]"
)
"""Words and signs behind a number that make it a measure, an age or an amount and no count."""

STATEMENTS = (
    r"(?:(?:(?:the|this|that|your|my|der|die|das|diese|la|el|le|esta|cette|questa|esa) )?(?:statement|claim|assertion|sentence"
    r"|proposition|aussage|behauptung|afirmación|declaración|affirmation|affermazione|dichiarazione|afirmação)"
    r"|l'affirmation|l'affermazione|it|this|that|es|das) (?:is|ist|es|est|è|é) "
)
"""What a truth value is said of."""

TRUE = r"true|wahr|verdader[oa]|ciert[oa]|vraie?|ver[oa]|verdadeir[oa]"
"""Words behind a statement that call it true."""

FALSE = r"false|falsch|unwahr|fals[oa]|fauss?e?|faux"
"""Words behind a statement that call it false."""

MULTIPLIERS = (
    r"(?:hundred|thousand|million|billion|trillion|dozen|score|lakh|crore|percent|per|pct|k|m|bn|mn|hundert|tausend|millionen"
    r"|million|milliarden?|mio|mrd|dutzend|prozent"
    r"|cien|cientos|mil|mill[oó]n(?:es)?|docenas?|por|cent|mille|millions?|milliards?|douzaines?|pour|mila|milion[ei]"
    r"|miliard[oi]|milh(?:ão|ões)|miljoen|miljard|duizend|procent"
    r"|tysi\w+|milion\w*|тыс\w*|млн|миллион\w*|half|halves|thirds?|quarters?|times|to|and|or|und|oder|y|o|et|ou|e|à|bis|a|of"
    r"|plus|minus|x)\b"
)
"""Words behind a number that make another number of it."""

PAST = (
    r"\b(?:was|were)\b.{0,200}\b(?:now|since|any ?more|today|nowadays)\b|\b(?:originally|initially|previously|formerly|at first"
    r"|used to|no longer|früher|anfangs|zunächst|ursprünglich|antes|avant|prima)\b"
)
"""What says that a number was once the answer."""

NUMBER_WORDS = (
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    r"|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundreds?|thousands?|millions?|billions?|dozens?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco"
    r"|seis|siete|ocho|nueve|diez|deux|trois|quatre|cinq|sept|huit|neuf|dix)\b"
)
"""Numbers in words beside the one in digits."""

YES = r"yes|true|ja|wahr|sí|verdadero|cierto|oui|vrai|sì|vero|sim|verdadeiro|waar|tak|evet|да|верно|はい|是的|是"
"""Words that stand for true when they lead."""

NO = r"no|false|nein|falsch|falso|non|faux|não|nee|onwaar|nie|hayır|нет|неверно|いいえ|不是|否"
"""Words that stand for false when they lead."""

ASSENTS = rf"\b(?:{YES}|yeah|right|correct|indeed|richtig|stimmt|correcto|exact|giusto|correto|juist)\b"
"""What contradicts a leading no."""

DISSENTS = rf"\b(?:{NO}|wrong|incorrect|untrue|unwahr|incorrecto|inexact|sbagliato|incorreto|onjuist|неправда)\b"
"""What contradicts a leading yes."""

ANSWER_WORDS = (
    r"(?:answer|result|total|sum|count|product|factorial|value|number|antwort|ergebnis|summe|anzahl|respuesta|resultado|suma"
    r"|réponse|résultat|somme|nombre|risposta|risultato|somma|resposta|soma"
    r"|antwoord|resultaat|aantal|odpowiedź|wynik|ответ|результат|答案|答え|结果|結果|合計|总数|答)"
)
"""What the answer is called."""

COPULAS = (
    r"(?:is|are|was|were|equals|equal to|makes|gives|get|have|ist|sind|lautet|beträgt|ergibt|es|son|est|sont|é|è|sono"
    r"|são|zijn|to|wynosi|это|равен|равно|be)"
)
"""What links the answer with its name."""

LABELS = (
    r"(?:page|step|question|chapter|figure|fig|section|row|line|version|option|item|no|nr|number|note|article|part|exercise"
    r"|task|problem|table|room|gate|in|on|since|by|at|of|from|for|the|seite|schritt|frage|zeile|punkt"
    r"|nummer|página|paso|pregunta|étape|question|ligne|pagina|passo|domanda|stap|vraag)"
)
"""Words before a number that make it a name."""
