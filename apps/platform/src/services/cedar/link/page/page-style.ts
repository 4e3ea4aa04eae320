import { createHash } from 'node:crypto'
import type { Html } from './html.ts'

// The console's colours (styles/tokens.css).
const style = `
:root{color-scheme:light dark;--canvas:light-dark(#f6f8f7,#0f1311);--surface:light-dark(#fff,#161b18);--sunken:light-dark(#eef1ef,#1f2522);--line:light-dark(#dce2df,#2c3531);--text:light-dark(#16201b,#e6ece9);--muted:light-dark(#55625c,#a1aea8);--accent:light-dark(#1d6b45,#79d3a2);--on-accent:light-dark(#fff,#07150e)}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--text);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.bar{display:flex;align-items:center;justify-content:space-between;max-width:880px;margin:0 auto;padding:16px;color:var(--muted);font-size:14px}
.bar a{text-decoration:none}
.brand{color:var(--text);font-weight:600}
main{max-width:880px;margin:0 auto;padding:24px;border:1px solid var(--line);background:var(--surface)}
.head{display:flex;gap:16px;align-items:center}
.head>div{min-width:0}
.icon{flex:none;width:96px;height:96px;border-radius:20px;object-fit:cover}
.letter{display:grid;place-items:center;background:var(--accent);color:var(--on-accent);font-size:44px;font-weight:600}
h1{margin:0;font-size:28px;line-height:1.2;overflow-wrap:anywhere}
h2{margin:32px 0 8px;font-size:16px}
p{margin:8px 0;overflow-wrap:anywhere}
.muted{color:var(--muted)}
.lead{margin-top:16px;font-size:18px}
.long{white-space:pre-line}
.facts{display:flex;flex-wrap:wrap;gap:8px 32px;margin:24px 0 0}
.facts dt{color:var(--muted);font-size:14px}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
.facts+p{margin-top:24px}
.actions{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin-top:24px}
.button{padding:12px 20px;border-radius:6px;background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}
.qr{display:none}
.way-on{font-size:14px}
.shots{display:flex;gap:12px;margin:0;padding:0 0 8px;overflow-x:auto;list-style:none}
.shots img{display:block;width:auto;height:360px;border:1px solid var(--line);border-radius:6px}
.notice{padding:64px 24px;text-align:center}
footer{max-width:880px;margin:0 auto;padding:16px;font-size:14px}
@media (min-width:920px){main{border-radius:6px}}
@media (min-width:720px) and (hover:hover){.top{display:flex;justify-content:space-between;gap:32px}.top>div{min-width:0}.qr{display:block;flex:none;width:184px;margin:0;color:var(--muted);font-size:14px;text-align:center}.qr svg{display:block;width:184px;height:184px;border-radius:6px;background:#fff}}
`.replaceAll('\n', '')

/** The policy contains its hash, so not a byte may differ. */
export const styleElement: Html = { html: `<style>${style}</style>` }

const hash = createHash('sha256').update(style).digest('base64')

/** No script, no frame, no form, and only images of this server. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
