"""English: requests by their frame ("can we …", "let's …", "X should …") and by a bare verb in front."""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy
from axiommind.text.requests._tongue import Tongue

__all__ = ["ENGLISH"]

_I = re.IGNORECASE
_POLITE = r"(?:(?:please|pls|plz|also|maybe|perhaps|possibly|just|quickly|at least|then|now|actually|either)\s+){0,3}"
# A request begins with one of these, and what is wanted follows.
_FRAME = (
    rf"(?:(?:can|could|would|will) (?:you|we|u)\s+{_POLITE}|(?:can|could) (?!i\b|you\b|we\b)(?:\S+ ){{1,5}}be\s+"
    r"|(?:do you think|is it possible|would it be possible|any chance)(?: that)?(?: (?:you|we)(?: can| could)?"
    r"| for you to| to)\s+"
    rf"|let[’']?s\s+{_POLITE}|why not\s+{_POLITE}|why don[’']?t (?:we|you)\s+{_POLITE}|how about(?: we)?\s+"
    r"|(?:i|we)(?:[’']d| would)? (?:want|need|prefer|expect)(?: you| us)?(?: to)?\s+|(?:i|we)(?:[’']d"
    r"| would) (?:like|love)(?: you| us)?(?: to)?\s+"
    r"|(?:you|we) (?:should|must|need to|have to|ought to|could|can|might want to|may want to)\s+"
    r"|(?:make|be) sure(?: (?:that|to|you|we)){0,2}\s+|ensure(?: that)?\s+|(?:do not|don[’']?t) forget (?:to\s+)?"
    r"|remember to\s+|feel free to\s+|go ahead and\s+|try to\s+|(?:i )?forgot to mention\s+"
    r"|mention(?: also)?(?: that)?\s+)"
)
# What stands first in a sentence that is no order.
_NO_VERB = (
    r"(?!(?:i|you|he|she|it|its|it[’']s|we|they|this|that|that[’']s|thats|these|those|there|theres|there[’']s"
    r"|here|the|an?|my|your|our|their"
    r"|some|any|every|each|all|no|not|one|two|what|whats|why|how|when|where|which|who|whose|is|are|was|were|be|been|am"
    r"|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|if|unless|until|while|because|since|as"
    r"|for|from|in|on|at|to|with|without|of|by|about|after|before|and|or|but|so|than|then|too|very|still|yet|already"
    r"|seems?|looks? like|\w{2,}ly|enough|failed|error|warning|reset|running|got|found|saw|getting|nothing"
    r"|something|everything|both|same|more|most|new|other|another)\b)"
)
_TAKES = (
    r"(?:the|an?|all|any|every|each|this|that|these|those|it|them|my|our|your|its|to|as|in|on|from|with|for|by|into"
    r"|only|also|just|both|more|less|no|not|half|up|down|out|off|over|back|away|integer|\W)"
)
_VERBS = (
    r"add|adjust|align|allow|append|apply|attach|avoid|batch|block|bring|build|bump|cache|call|cap|cast|catch"
    r"|center|centre|change|clamp"
    r"|clear|collapse|color|colour|combine|convert|copy|cover|create|cut|debounce|default|define|delete"
    r"|deprecate|derive"
    r"|disable|display|document|drop|duplicate|embed|emit|enable|encode|encrypt|enforce|escape|exclude|expand|export"
    r"|expose|extend|extract|fail|fall back|filter|focus|fold|follow|force|format|gate|generate|group|guard"
    r"|hash|hide|highlight"
    r"|ignore|import|include|increase|inline|insert|instead|introduce|keep|label|leave|limit|link|list|load"
    r"|lock|lower|log|make|mark"
    r"|match|memoi[sz]e|merge|migrate|mock|move|name|normali[sz]e|omit|open|order|paginate|parse|pass|persist|pin|place"
    r"|position|prefer|prefix|preserve|prevent|print|prompt|provide|put|raise|randomi[sz]e|read|redirect|reduce"
    r"|refactor|reject"
    r"|remove|rename|render|reorder|replace|require|reset|reshape|resize|restrict|return|reuse|rewrite|round"
    r"|save|scope|select"
    r"|send|separate|serve|set|shorten|show|shrink|simplify|skip|sort|split|squash|standardi[sz]e|stick|stop"
    r"|store|stream"
    r"|strip|style|support|surface|swap|switch|tag|throw|track|treat|trim|truncate|turn|unify|update|upgrade|use"
    r"|validate|wrap|write|(?:go|switch|move|change) back to|do not|don[’']?t|never|always"
)
_START = r"(?:^|[,;:–—-]\s+|\b(?:but|and|so|then|or)\s+)"
_MODAL = (
    r"(?:should(?:n[’']?t)?|must(?:n[’']?t)?|ha(?:s|ve) to|needs?(?= (?:to|an?|its)\b)|ought to|shall"
    r"|is (?:supposed|meant"
    r"|expected) to|are (?:supposed|meant) to)"
)

_PAPERS = (
    r"(?:change ?log\S*|\S*readme\S*|docs?|documentation|spec|specs|specification|lessons?|\S*learnings?\S*"
    r"|to-?dos?|memory|adrs?|runbook"
    r"|(?:claude|agents|changelog|state|roadmap|contributing)\.md|release notes|(?:security |design "
    r"|code )?review|ticket|follow-?up issue|report)"
)
_WRITE = (
    r"(?:updat(?:e|ed|ing)|add(?:ed|ing)?|writ(?:e|ten|ing)|log(?:ged|ging)?|record(?:ed)?|note down"
    r"|document(?:ed)?|creat(?:e|ed|ing)|append|memori[sz]e|extract|mention|bump)"
)

ENGLISH = Tongue(
    opening=lazy(
        r"^(?:(?:ok(?:ay)?|k|yes|yeah|yep|yup|sure|right|alright|cool|great|nice|perfect|good|thanks|thank you"
        r"|hm+|uh+m*|u+m+|a+h+|oh|well"
        r"|so|and|but|also|now|then|next|actually|btw|by the way|sorry|hey|hi|fine|please|pls|plz|maybe|perhaps"
        r"|definitely|honestly"
        r"|(?:revert|undo|scrap) (?:that|this|it)(?=\s*[:,;.–—-])"
        r"|i (?:also )?think(?: that)?|i guess|i feel(?: like| that)?|i believe|imo|in that case|first(?:ly)?"
        r"|finally|just|one more thing|oh and)"
        r"\b[\s,.:;!–—-]*){1,6}",
        _I,
    ),
    denial=lazy(
        r"^(?:(?:hm+|ok|oh|uh+m*|well|sorry)[,.\s]+)?(?:no+|nope|nah)\b(?!\s*(?:problem|worries|idea|longer"
        r"|more\b|rush|need))[\s,.!:;–—-]+\S"
        r"|^(?:hm+|ok|oh|well)?[,.\s]*(?:that[’']?s|this is|it[’']?s|thats) (?:not (?:what|right|how|the|it)"
        r"|wrong|incorrect)"
        r"|^wait[,.\s]|^(?:i|we) (?:meant|said|told you|asked (?:you )?(?:to|for|not)|was (?:talking"
        r"|referring))\b|^(?:i[’']?m|im) (?:just )?(?:talking|referring)"
        r"|^(?:revert|undo|scrap) (?:that|this|it)\b[\s,.:;–—-]+\S"
        r"|^(?:i[’']?ve|i have|i) reverted\b|^why (?:did|are) you\b|^you (?:forgot|missed|broke|should(?:n[’']t"
        r"| not) have)\b|^not (?:the|in|on|a|with|that|this|like)\b",
        _I,
    ),
    nothing=lazy(
        r"^(?:(?:yes|yeah|yep|ok(?:ay)?|sure|please|thanks?|thank you|go (?:ahead|on|for it)|do it|looks? good"
        r"|lgtm|sounds? (?:good|great)|that (?:sounds|looks|would be|works) ?\w*"
        r"|perfect|great|nice|cool|good|correct|exactly|right|agreed|approved?|continue|proceed|resume|next"
        r"|retry|try again|done|i don[’']?t know|not sure|no idea"
        r"|you decide|up to you|whatever|y|n|no|q|k)[\s,.!]*(?:please|then|with (?:it|that)|now)?[\s,.!]*)+$"
        r"|^(?:option |number |#)?\d{1,2}\b(?:\s+(?:seems?|looks?|is|sounds?|does)\b.*)?$|^(?:the )?(?:first"
        r"|second|third|last|former|latter)(?: one| option)?[.!]?$",
        _I,
    ),
    asking=lazy(
        r"^(?:why(?! (?:not|don[’']?t (?:we|you))\b)|what(?! if\b)|i (?:thought|assumed|wonder|was wondering"
        r"|had (?:a|an|one|am))|one thing i|if (?:we|i) |whats|how(?! about\b)|when did|where|which"
        r"|who|whose|is|are|was|were|am|does|did|has|have|had"
        r"|do (?!you think (?:you|we) (?:can|could)\b|not\b|it\b|that\b|this\b)(?:i|you|we|they|the|these|those"
        r"|any)\b|should|shall|would (?:it|that|this|the)|will (?:it|this|that|the)"
        r"|can (?:i\b|(?:it|this|that|the)\b(?!.{1,60}\bbe \w+))|could (?:i\b|be|(?:it|this"
        r"|that)\b(?!.{1,60}\bbe \w+))|may i|any (?:idea|ideas|thoughts|update)"
        r"|what if|do we|have we|did we)\b|\bdo you think\b(?! (?:you|we) (?:can|could))|\blet me know\b"
        r"|\bmight not need\b|\bit seems like i can\b"
        r"|\b(?:right|correct|no|isn[’']?t it|am i)$|\bthe question (?:is|of|was)\b|\bnot sure (?:if|whether"
        r"|what|how)\b"
        r"|\bmy (?:original )?(?:thinking|idea) (?:is|was)\b|\bi am (?:honestly )?just playing\b"
        r"|\bwhat are (?:your )?thoughts\b",
        _I,
    ),
    report=lazy(
        r"^(?:(?:it|this|that|the \w+(?: \w+)?|everything|all|i|we|seems?|still|there)\s+){0,2}"
        r"(?:now )?(?:works?|worked|fails?|failed|failing|passe[sd]|passing|broke|broken|crash\w*|hangs?"
        r"|seems? to|still|merged|deployed|pushed|updated it|fixed it|done|ready)\b"
        r"|^(?:i|we)(?:[’']ve| have)? (?:just |already )?(?:merged|deployed|pushed|updated|added|ran|run|tested"
        r"|tried|installed|restarted|set up|completed|saved|got|have|am|was|see|cannot|can[’']?t)\b"
        r"|\bshould (?:now |all |be )?(?:work|be (?:fine|ok|good|fixed|working|done|ready)|have|pass)\b",
        _I,
    ),
    order=lazy(
        rf"{_START}(?:(?:please|pls|also|then|just|instead|now)\s+){{0,3}}(?:{_FRAME}\S|(?:{_VERBS})\b)"
        rf"|\b(?:before|after|when|whenever)\b[^,]{{2,40}},?\s+(?:always |please )?(?:run|test|commit|push"
        rf"|check|ask|review|lint|tag)\b"
        rf"|\bwould (?:rather|prefer)\b|^{_NO_VERB}[a-z]{{3,14}}\s+{_TAKES}(?:\s|$)",
        _I,
    ),
    polite=lazy(
        r"^(?:(?:can|could|would|will) (?:you|we|u)|do you think|is it possible|would it be possible|why not"
        r"|why don[’']?t"
        r"|how about|what about|any chance|please)\b|\b(?:can|could|would) (?:you|we)\b",
        _I,
    ),
    together=lazy(r"^(?:can|could) we\b|^(?:is it|would it be) possible\b|^(?:why not|how about)\b", _I),
    duty=lazy(
        rf"[\w□][\"”'’)]?\s+{_MODAL}\b(?! i\b| we\b| you\b)|\bi(?:[’']d| would)? (?:\w+ )?(?:prefer|rather|want)\b"
        rf"(?! to (?:know|ask|discuss|understand|validate|strategi[sz]e|see (?:what|if|how)))"
        r"|\bi(?:[’']d| would) (?:\w+ )?(?:like|love)\b(?! to (?:know|ask|discuss|understand|see (?:what|if|how)))"
        r"|\b(?:would be|is|it[’']?s|its) (?:way |much |probably |definitely )?(?:nicer?|better|best|good|great"
        r"|cool|cleaner|safer|preferable|ideal)(?: \w+)? (?:if|to|that|not|when)\b"
        r"|\bwe (?:stay|stick|remain) (?:with|on|to)\b|\bwe keep using\b"
        r"|\bfeel free to (?!address|fix|resolve|ignore|skip|respond|continue|proceed|go|commit|push|merge|ask|close"
        r"|pick|take|do)|\byou(?:[’']re| are) allowed\b"
        r"|\bno need (?:to|for)\b|\bwe (?:do not|don[’']?t) need\b|\b(?:is|are) (?:not )?(?:allowed|required"
        r"|mandatory|forbidden|unnecessary|optional)\b|\bi allow\b|\bforgot to mention\b|\bwould (?:rather|prefer)\b",
        _I,
    ),
    act=lazy(
        rf"^(?:{_FRAME})?(?:(?:please|also|just|then|now|quickly|first)\s+){{0,3}}"
        r"(?:commit|push|pr\b|continue|resume|proceed"
        r"|go\b(?! back to (?!main|master|work|the (?:main|\S+ branch)))|get (?:back|this|that|it|a pr|the|all|going)"
        r"|run"
        r"|re-?run|retry|try|test|check|look|see|read|review|analy[sz]e"
        r"|investigate|debug|explain|tell|show me|give me|find|search|open (?:a |an |the )?(?:pr|issue|pull)"
        r"|fix|address|resolve|respond|reply|answer|comment|mark"
        r"|switch (?:back )?(?:to )?(?:the )?(?:main|master|\S* ?branch)|checkout|pull|rebase|merge (?:it|this"
        r"|that|the|main|pr|#)|deploy|release|publish|install|start|stop(?! (?:using|showing|supporting|sending"
        r"|storing))"
        r"|kill|restart|launch|spawn|reconsider|suggest|propose|come up with|log (?:in|out)|drive"
        r"|implement (?:it|this|that|all"
        r"|the (?:plan|following))"
        r"|do (?:it|this|that|the|so)|plan\b|discuss|evaluate|summari[sz]e|ship|help|wait"
        r"|verify|validate (?:it|this|that)|confirm|double.?check|compare|research|list (?:the|all|me)|describe"
        r"|think|work on|tackle|handle (?:it|this|that|#)|finish|complete|pick|take|clean up|close|approve"
        r"|revert|undo|roll ?back|create (?:a |an |the |new |me ){0,2}(?:pr|pull request|branch|release|commit"
        r"|token|worktree)|make (?:a |the )?(?:pr|commit|release)|let me|ask|reconsider|redo|repeat|carry on|keep going"
        r"|grab|fetch|generate (?:me |a )?(?:commit|token|jwt|new)"
        r"|update (?:it|this|that|me|your context)|change (?:it|this|that)$|save|write (?:it|this)|add (?:it"
        r"|this|that|them)$|remove (?:it|this|that|them)$)\b"
        r"|\bshould be (?:addressed|fixed|resolved|looked at|checked|investigated|merged|answered|closed)\b"
        r"|\bmake (?:all |the |all the |it |this |that )?(?:\w+ )?(?:pass|work|compile|green)\b"
        r"|\b(?:let me know|tell me) (?:if|whether|what|how|when|which|why)\b"
        r"|^(?:then |now |please )*(?:remove|delete|close|kill) (?:this|that|the|all|these) (?:\S+ ){0,2}"
        r"(?:session|branch|worktree|worker|tab|window|pane|process)e?s?$",
        _I,
    ),
    standing=lazy(
        r"\b(?:always|never|every ?time|each time|whenever|from now on|going forward|from here on"
        r"|in (?:the )?future|as a rule|in general|at all times|any ?more|no longer"
        r"|(?:do not|don[’']?t|dont) (?:ever|forget)|per (?:commit|section|phase|step|file|pr|task|feature)"
        r"|atomic(?:ally)?|one (?:commit|pr|branch) (?:per|for each|each)"
        r"|(?:before|after|without) (?:you |we |i )?(?:making|pushing|committing|merging|opening|creating|starting"
        r"|editing|changing|releasing|deploying|writing|running|every|each|any|having to)"
        r"|when(?:ever)? (?:you |we )?(?:commit|push|merg|releas|deploy|open|rebas|review)\w*"
        r"|(?:before|after) (?:you|we|i) (?:commit|push|merge|open|release|deploy|tag|rebase|change|edit|create"
        r"|make)\w*|once (?:done|finished"
        r"|you[’']?re done|that[’']?s done|complete)"
        r"|(?<!if )(?:any|every|each|all) (?:\w+ ){1,6}?(?:should|must|needs?|ha(?:s|ve) to)|changes to each"
        r"|for each \w+)\b",
        _I,
    ),
    beside=lazy(
        rf"\b{_WRITE}\b(?:[^.?!]|\.(?=\w)){{0,40}}?(?<![\w/]){_PAPERS}(?![\w/])"
        rf"|(?<![\w/]){_PAPERS}\b(?:[^.?!]|\.(?=\w)){{0,40}}\b(?:be )?{_WRITE}\b",
        _I,
    ),
    postponed=lazy(
        r"\b(?:future consideration|for (?:a )?(?:later|future)|(?:not|isn[’']?t) (?:top |a "
        r"|high )?(?:prio(?:rity)?|now)\b|low(?:er)? prio|postpone[d]?|defer(?:red)?|park (?:it|this|that)"
        r"|out of scope"
        r"|in (?:a )?(?:later|next|separate|follow-?up) (?:phase|pr|release|step|milestone)|back ?log"
        r"|leave (?:it|that|this) (?:out )?for (?:now|later)|skip (?:it|that|this)? ?for now"
        r"|improve this in future)\b",
        _I,
    ),
    contrast=lazy(
        r"\binstead\b|\b(?:go|switch|move|change) back to\b|\bafter all\b"
        r"|\brather than\b|\bin place of\b|[,;]\s+(?:and )?not\b|\band not\b|\bnot\s[^,.;]{2,40}?,? but\b"
        r"|\b(?:replace|swap|rename|switch)\s[^,.;]{2,50}? (?:with|to|for|into|over to) (?=\S)"
        r"|\bwithout (?:having to|an?y?\b)|\bonly\b|\bno longer\b|\bbut (?:instead|keep|only|not|without)\b|\bunless\b"
        r"|\b(?:do not|don[’']?t|dont|should not|shouldn[’']?t|must not|never|avoid|drop|remove|get rid of|stop"
        r"|no need)\b",
        _I,
    ),
    replaced=lazy(
        r"\b(?:instead of|rather than|in place of)\s+(?:(?:just|the|an?|having to|using"
        r"|to)\s+){0,3}(?P<old>[^,.;:]{2,60}?)(?=$|[,.;:]| (?:because|since|so that|as (?:we|it))\b)"
        r"|[,;]\s+(?:and )?not (?:(?:just|in|on|the|an?|to)\s+){0,3}(?P<old2>[^,.;:]{2,60})$"
        r"|\band not (?:(?:just|in|on|the|an?|to)\s+){0,3}(?P<old3>[^,.;:]{2,60})$"
        r"|\b(?:replace|swap|rename|switch from|move away from)\s+(?:the )?(?P<old4>[^,.;:]{2,50}?) (?:with|to"
        r"|for|into|by) (?=\S)"
        r"|\bstop (?:using|showing|sending|storing) (?P<old5>[^,.;:]{2,50})",
        _I,
    ),
    manner=lazy(
        r"\b(?:so that|such that|as (?:a|an|the|\")|like (?:the|in|this|a)|similar to|same (?:as|way|concept)"
        r"|consistent(?:ly)? with|based on|by default|in the form of|grouped? by|sort(?:ed)? by|ordered by"
        r"|at the (?:top|bottom|end|left|right)"
        r"|renamed? (?:it |this |that )?to"
        r"|on the (?:left|right)|next to|below|above|when (?:there|the|a|it)|if (?:there|the|a|it)|up to"
        r"|at least|at most|more (?:visible|readable|prominent)|for (?:all|each|every)|(?:sort|order"
        r"|group)(?:ed)? (?:\w+ ){0,3}by)\b|□"
        r"|\bfirst\b.{2,60}\bthen\b|^make (?!sure)|^(?:let[’']?s )?(?:use|round|store|keep|sort|format|name"
        r"|call|prefer|treat"
        r"|return|limit|cap|align|hide|avoid|stick"
        r"|default)\b",
        _I,
    ),
    reason=lazy(
        r"[,;]?\s*\b(?:because|since(?=\s+(?:we|it|the|i|they|this|that|there|most|all)\b)|so that|as (?=(?:we"
        r"|it|i|they|there)\b)|in order to|to (?=ensure|avoid|prevent|make sure|improve|reduce"
        r"|keep))\s*(?P<why>.{3,200})$"
        r"|^(?:given|since|because|as)\s+(?P<why2>[^,]{3,120}),",
        _I,
    ),
    fact=lazy(
        r"^(?:we|our)\b.{3,80}(?:, not\b|\binstead of\b|\brather than\b|\bonly\b|\bnever\b|\balways\b)|"
        r"\bwe (?:also |already |always |only |never |currently )?(?:use|run|store|have|keep|rely on|don[’']?t"
        r"|do not)\b|\b(?:in any case|anyway|regardless)\b"
        r"|\b(?:does not|doesn[’']?t) (?:really )?make (?:a lot of |much |any )?sense\b|\bwill always\b"
        r"|\bis (?:a|an) (?:point|snapshot|known)\b|\bi (?:do not|don[’']?t|dont) think (?:that )?(?:we|it|the"
        r"|this)\b"
        r"|\bthat[’']?s not how\b|\bthe whole point\b|\bby design\b|\bon purpose\b|\bintentional(?:ly)?\b"
        r"|\bcan be (?:done|verified|tested) (?:automatically|locally|with)\b",
        _I,
    ),
    work=lazy(
        r"\b(?:commit(?:s|ted|ting)?|push(?:ed|ing)?|branch(?:es)?|main|master|prs?|pull requests?|merg(?:e|ed"
        r"|ing)|rebase|squash|reviews?|ci|pipeline|change ?log\S*|releases?|tags?"
        r"|tests? locally|e2e|locally|to-?dos?|docs?|\S*readme\S*|\S*learnings?\S*|worktrees?|subagents?"
        r"|agents?\.md|claude\.md|plans?|pre-?commit|git hooks?|verify|lint(?:er)?|formatter|deploy(?:ment)?|staging"
        r"|migrations?|findings?"
        r"|feedback loop|screenshots?|test mode|todo|tickets?|issues?|answers?|reply|language)\b",
        _I,
    ),
    pointing=lazy(r"\b(?:this|that|it|its|these|those|them|there|here|above|such|they|something)\b", _I),
    filling=lazy(
        r"\b(?:the|an?|to|of|in|on|at|for|with|by|from|and|or|but|so|then|also|just|please|can|could|would|will"
        r"|you|we|i|me|my|our|your|us|be|is|are|was|were|do|does|did|have|has|had|need|want|like|should|must"
        r"|make|sure"
        r"|let|lets|us|ok|okay|yes|yeah|now|all|some|any|only|not|no|don|dont|if|as|up|out|off|maybe|think|know"
        r"|go|get|got|way|thing|things|stuff|more|again|still|already|fix|update|add|change|changes|issue"
        r"|issues|everything|something)\b|[^A-Za-z0-9_□]+",
        _I,
    ),
    least=9,
)
