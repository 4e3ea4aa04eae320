import { defaultLocale, isLocale } from '@grove/contract/locale.rules'
import type { Mail } from '../../../core/mail/mailer.ts'
import { mailTexts, type MailKind } from './mail-texts.ts'

/** The mail with a link that validates an address or leads to a new password. */
export function linkMail(
  kind: 'validate' | 'reset',
  mail: { to: string; locale: string; link: string; expiresAt: string; network: string },
): Mail {
  const { to, locale, link, expiresAt, network } = mail
  return { ...compose(kind, locale, { email: to, link, time: expiresAt, network }), expiresAt }
}

/** Notifies the owner of a new password; `publicOrigin` is null where it is not known. */
export function passwordChangedMail(mail: {
  to: string
  locale: string
  at: string
  network: string
  publicOrigin: string | null
}): Mail {
  const { to, locale, at, network, publicOrigin } = mail
  const link = publicOrigin === null ? null : `${publicOrigin}/login/forgotten`
  return compose('passwordChanged', locale, { email: to, link, time: at, network })
}

interface Values {
  email: string
  link: string | null
  time: string
  network: string
}

function compose(kind: MailKind, locale: string, values: Values): Mail {
  const language = isLocale(locale) ? locale : defaultLocale
  const { subject, paragraphs } = mailTexts[language][kind]
  const words: Record<string, string> = {
    email: values.email,
    network: values.network,
    time: `${timeFormats[language].format(new Date(values.time))} UTC`,
  }
  const parts = paragraphs
    .filter((part) => part !== '{link}' || values.link !== null)
    .map((part) => part.replaceAll(/\{(\w+)\}/g, (_, name) => words[name] ?? values.link ?? ''))
  return {
    to: values.email,
    subject,
    text: `${parts.join('\n\n')}\n`,
    html: htmlOf(language, subject, parts, values.link),
  }
}

// No image and nothing else to fetch: a mail program has nothing to ask about.
function htmlOf(language: string, subject: string, parts: string[], link: string | null): string {
  const paragraphs = parts.map((part) => {
    const text = escapeHtml(part)
    return `<p>${part === link ? `<a href="${text}" style="overflow-wrap: anywhere">${text}</a>` : text}</p>`
  })
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body>
${paragraphs.join('\n')}
</body>
</html>
`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? '')

const timeFormat = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const timeFormats = { 'en-US': timeFormat('en-US'), 'ru-RU': timeFormat('ru-RU') }
