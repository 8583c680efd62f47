"""Tells messages that state something from those that only keep a conversation going: "ok", "thanks", "haha"."""

from __future__ import annotations

import re
import unicodedata

import regex

_PHRASES = (
    "sounds good|sounds great|sounds like a plan|sounds fun|thank you|thanks a lot|got it|no problem|"
    "no worries|you too|you're welcome|you are welcome|see you|see ya|talk to you later|talk soon|"
    "good morning|good night|good evening|good afternoon|good luck|good point|good idea|of course|me too|"
    "same here|i see|i agree|i know|will do|that's great|that's awesome|that is great|that's amazing|"
    "that's cool|that's nice|that makes sense|makes sense|how are you|what's up|my pleasure|take care|"
    "have a nice day|have a good one|any time|not at all|all right|all good|go ahead|go on|for sure|right on|"
    "oh my god|oh my|no way|let me know|catch you later|i'm good|looks good|guten morgen|guten tag|"
    "guten abend|alles klar|vielen dank|danke schön|danke schon|auf wiedersehen|bis bald|bis dann|"
    "kein problem|in ordnung|gern geschehen|s'il te plaît|s'il vous plaît|merci beaucoup|d'accord|ça va|"
    "pas de problème|de rien|à bientôt|muchas gracias|de nada|buenos días|buenas noches|muy bien|está bien|"
    "de acuerdo|hasta luego|muito obrigado|muito obrigada|tudo bem|bom dia|boa noite|va bene|grazie mille|"
    "buon giorno|большое спасибо|не за что|доброе утро|добрый день|до свидания|شكرا جزيلا|tack så mycket|"
    "mange takk|dank je|dank u|kiitos paljon|dziękuję bardzo|çok teşekkürler"
).split("|")
_WORDS = frozenset(
    "ok okay okey okie k kk alright thanks thank thx ty tysm cheers lol lmao rofl haha hehe hah heh yes yeah "
    "yep yup ya yea yah no nope nah hi hey hello hiya bye goodbye cya great cool nice awesome amazing "
    "perfect excellent wonderful fantastic lovely sweet wow whoa sure right exactly indeed absolutely "
    "definitely certainly totally agreed true please pls welcome sorry hmm hm mhm oh ah aha ooh aww aw um uh "
    "eh well so too very really much again then man dude bro buddy friend all just yay hooray congrats "
    "congratulations nvm np omg done good fine understood noted roger ack and you my dear guys everyone "
    "there a lot that is danke bitte ja nein genau gut super prima tschüss hallo jo nee klar toll merci oui "
    "non bonjour salut bonsoir bien parfait génial ouais voilà gracias sí si hola adiós vale bueno perfecto "
    "claro genial obrigado obrigada sim não olá tchau ótimo certo grazie sì ciao prego perfetto certo да нет "
    "спасибо привет пока хорошо ладно ага угу пожалуйста конечно понятно отлично شكرا نعم لا مرحبا حسنا تمام "
    "اوكي tack hej nej javisst takk kiitos joo moi hei ei selvä dziękuję dzięki tak nie cześć dobrze "
    "teşekkürler evet hayır tamam merhaba धन्यवाद हाँ नहीं ठीक है नमस्ते שלום תודה כן לא 好 好的 好吧 嗯 "
    "嗯嗯 是 是的 对 对的 不 不是 谢谢 謝謝 谢谢你 多谢 收到 明白 明白了 知道了 了解 行 可以 没问题 哈哈 "
    "你好 您好 再见 早上好 晚安 はい うん ええ いいえ ありがとう ありがとうございます どうも 了解です "
    "了解しました わかりました なるほど すみません こんにちは おはよう おやすみ さようなら 네 예 응 아니요 "
    "감사합니다 고마워 고마워요 고맙습니다 알겠습니다 알겠어요 좋아요 안녕하세요 안녕 ㅋㅋ ㅎㅎ ครับ ค่ะ "
    "ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ สวัสดี โอเค ได้".split()
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*")
_LAUGHS = tuple(map(frozenset, ("ha", "he", "hi", "ho", "hm", "ja", "je", "lo", "aw", "哈", "ㅋ", "ㅎ", "呵", "嘻")))
_REPEAT = re.compile(r"(.)\1{2,}")
# Longer texts are never mere filler, and need not be searched for phrases.
_LONGEST_FILLER = 200


def states_something(text: str) -> bool:
    """Tell whether a message or sentence has content.

    Args:
        text: any text, in any language.

    Returns:
        False for what is blank, only emoji or punctuation, or only made of fillers ("ok", "thanks!", "haha", "好的");
        True for everything else, questions included.
    """
    if len(text) > _LONGEST_FILLER:
        return _WORD.search(text) is not None
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = _WORD.findall(plain)
    if not words:
        return False
    rest = f" {' '.join(words)} "
    for phrase in _PHRASES:
        if phrase in rest:
            rest = rest.replace(f" {phrase} ", "  ")
    return not all(_is_filler(word) for word in rest.split())


def _is_filler(word: str) -> bool:
    if word in _WORDS or _REPEAT.sub(r"\1", word) in _WORDS or _REPEAT.sub(r"\1\1", word) in _WORDS:
        return True
    letters = set(word)
    return any(letters <= laugh for laugh in _LAUGHS) and (len(word) > 3 or len(letters) == 1)
