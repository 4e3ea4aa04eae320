import type { LocaleCode } from '@grove/contract/locale.rules'

/** The texts of one mail; `action` is null for a mail without a link. */
export interface MailContent {
  language: LocaleCode
  subject: string
  /** The preview text that mail programs show beside the subject. */
  preheader: string
  title: string
  before: readonly string[]
  action: { button: string; fallback: string; link: string } | null
  after: readonly string[]
  /** Why the person received this mail. */
  reason: string
}

export function textOf({ before, action, after, reason }: MailContent): string {
  const link = action === null ? [] : [`${action.button}:`, action.link]
  return `${[...before, ...link, ...after, `Grove\n${reason}`].join('\n\n')}\n`
}

/**
 * Tables and inline styles: Outlook for Windows renders with Word, and Gmail drops most of a style
 * element. The first style element has dark colours for programs that support it; the others keep or
 * invert the inline ones. The second is for Word, which does not inherit fonts in tables.
 *
 * Nothing is fetched, so opening a mail reveals nothing. The HTML stays short, because a queued mail
 * is padded to 8 kB to hide its length.
 */
export function htmlOf(content: MailContent): string {
  const { language, subject, preheader, title, before, action, after, reason } = content
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subject)}</title>
<style>${darkColours}</style>
<!--[if mso]><style>h1,p,td,a{font-family:'Segoe UI',Arial,sans-serif}</style><![endif]-->
</head>
<body class="canvas" style="margin:0;padding:0;background-color:#f6f8f7;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;mso-hide:all">${escapeHtml(preheader)}${preheaderEnd}</div>
<table class="canvas" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f6f8f7" style="background-color:#f6f8f7">
<tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="${font};max-width:560px">
<tr><td class="accent" style="padding:0 12px 16px;font-size:18px;line-height:24px;font-weight:700;color:#1d6b45">Grove</td></tr>
<tr><td class="card" bgcolor="#ffffff" style="padding:28px 24px 12px;background-color:#ffffff;border:1px solid #d9e0dc;border-radius:8px">
<h1 class="text" style="margin:0 0 16px;font-size:22px;line-height:28px;font-weight:600;color:#16201b">${escapeHtml(title)}</h1>
${[...before.map(paragraph), ...(action ? [button(action)] : []), ...after.map(paragraph), ...(action ? [linkAsText(action)] : [])].join('\n')}
</td></tr>
<tr><td class="muted" style="padding:16px 12px 0;font-size:13px;line-height:20px;color:#55625c;${wrap}">${escapeHtml(reason)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`
}

type Action = NonNullable<MailContent['action']>

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
const wrap = 'word-break:break-word;overflow-wrap:anywhere'

const darkColours = `
@media (prefers-color-scheme: dark) {
.canvas { background-color: #0f1311 !important; }
.card { background-color: #161b18 !important; border-color: #2c3631 !important; }
.text { color: #e6ece9 !important; }
.muted { color: #a1aea8 !important; }
.accent { color: #79d3a2 !important; }
.button { background-color: #79d3a2 !important; color: #07150e !important; }
}
`

// Invisible characters fill the rest of the preview, where mail programs would otherwise show the
// first words of the body.
const preheaderEnd = '\u034F\u200C\u00A0'.repeat(60)

const paragraph = (text: string): string =>
  `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#16201b;${wrap}">${escapeHtml(text)}</p>`

// Word ignores the padding of a link and uses the `mso-padding-alt` of its cell instead.
function button({ button: label, link }: Action): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px">
<tr><td class="button" align="center" bgcolor="#1d6b45" style="border-radius:6px;background-color:#1d6b45;mso-padding-alt:12px 24px">
<a href="${escapeHtml(link)}" class="button" style="display:inline-block;padding:12px 24px;border-radius:6px;background-color:#1d6b45;font-size:16px;line-height:24px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a>
</td></tr>
</table>`
}

function linkAsText({ fallback, link }: Action): string {
  const address = escapeHtml(link)
  return `<p class="muted" style="margin:0 0 16px;font-size:13px;line-height:20px;color:#55625c">${escapeHtml(fallback)}<br>
<a href="${address}" class="accent" style="color:#1d6b45;word-break:break-all">${address}</a></p>`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? '')
