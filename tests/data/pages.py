"""Pages of the named cases, as they were found."""

# ruff: noqa: E501

NOISE = r"""<!doctype html><html><head><title>Pump guide</title><style>.x{color:red} /* CSS-WORD */</style>
<script>var token="SCRIPT-SECRET-1"; document.write("<p>WRITTEN</p>")</script></head><body>
<nav><a href="/">NAVWORD</a> <a href="/a">NAVWORD two</a></nav><noscript>Please enable NOSCRIPT-5</noscript>
<div style="display:none">HIDDEN-77</div><div hidden>HIDDEN-77 b</div><template><p>TEMPLATE-6</p></template><!-- COMMENT-8 -->
<main><article><h1>Pump guide</h1><p>ARTICLE-9931: prime the pump for 30 seconds.</p><div>one</div><div>two</div>
<table><tr><td>flow</td><td>12 l/min</td></tr></table><pre>
line A
    line B
</pre><p>AT&amp;T &lt;tag&gt; caf&#233; &nbsp;end</p><svg><text>SVGTEXT-3</text></svg></article></main>
<footer>NAVWORD footer, accept cookies</footer></body></html>"""
CYRILLIC = (
    '<!doctype html><html><head><meta charset="windows-1251"><title>Склад</title></head><body>'
    "<h1>Складской номер 58</h1><p>Ворота открываются в семь часов, кроме воскресенья.</p></body></html>"
).encode("cp1251")
MEASURES = (
    '<!doctype html><html><head><meta charset="utf-8"><title>Maße</title></head><body><h1>Größe 12 µm – ©</h1>'
    "<p>Das Ventil heißt “Nord‑7”. Prüfung jährlich.</p></body></html>"
).encode()
