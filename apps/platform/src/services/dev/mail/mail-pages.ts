import type { KeptMail } from '../../../core/mail/mail-folder.ts'

export type PageLanguage = 'en' | 'ru'

export const mailPath = '/dev/mail'

const texts = {
  en: {
    title: 'Mail',
    lead: 'Mail that this server would have sent, newest first. Nothing leaves this machine.',
    sentElsewhere: 'MAIL_URL is set: mail goes to that server and is not kept here.',
    empty: 'No mail yet. Sign up or request a new password, then reload.',
    reload: 'Reload',
    deleteAll: 'Delete all',
    back: 'All mail',
    download: 'Download (.eml)',
    missing: 'This mail no longer exists',
    from: 'From',
    to: 'To',
    sent: 'Sent',
    text: 'Text',
    html: 'HTML',
  },
  ru: {
    title: 'Почта',
    lead: 'Письма, которые отправил бы этот сервер, сначала новые. Ничто не покидает этот компьютер.',
    sentElsewhere: 'Задан MAIL_URL: почта уходит на его сервер и здесь не хранится.',
    empty: 'Писем пока нет. Зарегистрируйтесь или запросите новый пароль и обновите страницу.',
    reload: 'Обновить',
    deleteAll: 'Удалить все',
    back: 'Все письма',
    download: 'Скачать (.eml)',
    missing: 'Этого письма больше нет',
    from: 'От',
    to: 'Кому',
    sent: 'Отправлено',
    text: 'Текст',
    html: 'HTML',
  },
} as const

/** The first of the browser's languages that the page supports. */
export function pageLanguage(acceptLanguage = ''): PageLanguage {
  const first = acceptLanguage.toLowerCase().match(/\b(en|ru)\b/)?.[0]
  return first === 'ru' ? 'ru' : 'en'
}

/** No script, inline style or image; frames only from this origin. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The HTML of a mail cannot run scripts or fetch anything; its links open a new tab. */
export const framePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

export function listPage(
  language: PageLanguage,
  mails: readonly KeptMail[],
  isSentElsewhere: boolean,
): string {
  const text = texts[language]
  const items = mails.map(
    ({ id, subject, to, sentAt }) => `<li><a href="${mailPath}/${id}">
<strong>${escaped(subject)}</strong>
<span>${escaped(to)}</span>
${timeOf(sentAt, language)}
</a></li>`,
  )
  const deletion =
    mails.length === 0
      ? ''
      : `<form method="post" action="${mailPath}/delete"><button>${text.deleteAll}</button></form>`
  return page(
    language,
    text.title,
    `<p class="muted">${isSentElsewhere ? text.sentElsewhere : text.lead}</p>
<div class="bar"><a href="${mailPath}">${text.reload}</a>${deletion}</div>
${mails.length === 0 ? `<p>${text.empty}</p>` : `<ol>\n${items.join('\n')}\n</ol>`}`,
  )
}

export function mailPage(language: PageLanguage, mail: KeptMail): string {
  const text = texts[language]
  const html =
    mail.html === undefined
      ? ''
      : `<h2>${text.html}</h2>
<iframe src="${mailPath}/${mail.id}/html" title="${text.html}" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
  return page(
    language,
    mail.subject,
    `<div class="bar"><a href="${mailPath}">${text.back}</a><a href="${mailPath}/${mail.id}/eml">${text.download}</a></div>
<dl>
<dt>${text.from}</dt><dd>${escaped(mail.from)}</dd>
<dt>${text.to}</dt><dd>${escaped(mail.to)}</dd>
<dt>${text.sent}</dt><dd>${timeOf(mail.sentAt, language)}</dd>
</dl>
<h2>${text.text}</h2>
<pre>${linked(mail.text)}</pre>
${html}`,
  )
}

export function missingPage(language: PageLanguage): string {
  const { missing, back } = texts[language]
  return page(language, missing, `<div class="bar"><a href="${mailPath}">${back}</a></div>`)
}

/** The HTML of a mail for the frame: its links open outside it. */
export const frameDocument = (html: string): string =>
  html.replaceAll('<a href=', '<a target="_blank" rel="noreferrer" href=')

function page(language: PageLanguage, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${mailPath}/mail.css">
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`
}

function timeOf(sentAt: string, language: PageLanguage): string {
  const format = { dateStyle: 'medium', timeStyle: 'medium' } as const
  const words = new Date(sentAt).toLocaleString(language === 'ru' ? 'ru-RU' : 'en-US', format)
  return `<time datetime="${sentAt}">${words}</time>`
}

/** Turns URLs into links and escapes the rest. */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) =>
      index % 2 === 0 ? escaped(part) : `<a href="${escaped(part)}">${escaped(part)}</a>`,
    )
    .join('')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (found) => entities[found] ?? '')
