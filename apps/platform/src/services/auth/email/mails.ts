import type { AccountRole } from '@grove/contract/auth/account.rules'
import { defaultLocale, isLocale } from '@grove/contract/locale.rules'
import type { Mail } from '../../../core/mail/mailer.ts'
import { htmlOf, textOf, type MailContent } from './mail-layout.ts'
import { linkFallback, mailTexts, roleWords, type MailKind } from './mail-texts.ts'

/** The mail with a link that validates an address or sets a new password. */
export function linkMail(
  kind: 'validate' | 'reset',
  mail: { to: string; locale: string; link: string; expiresAt: string; network: string },
): Mail {
  const { to, locale, link, expiresAt, network } = mail
  return {
    ...compose(kind, locale, { email: to, link, time: expiresAt, words: { network } }),
    expiresAt,
  }
}

/** Notifies the owner of a new password; `publicOrigin` is null if unknown. */
export function passwordChangedMail(mail: {
  to: string
  locale: string
  at: string
  network: string
  publicOrigin: string | null
}): Mail {
  const { to, locale, at, network, publicOrigin } = mail
  const link = publicOrigin === null ? null : `${publicOrigin}/login/forgotten`
  return compose('passwordChanged', locale, { email: to, link, time: at, words: { network } })
}

/**
 * Invites someone to an account. Names the administrator, unlike strangers in other mails: the
 * recipient has to know who invites them.
 */
export function invitationMail(mail: {
  to: string
  locale: string
  link: string
  expiresAt: string
  role: AccountRole
  /** The administrator's email or name; null if there is neither. */
  inviter: string | null
}): Mail {
  const { to, locale, link, expiresAt, role, inviter } = mail
  const words = { inviter: inviter ?? 'Grove', role: roleWords[languageOf(locale)][role] }
  return {
    ...compose('invitation', locale, { email: to, link, time: expiresAt, words }),
    expiresAt,
  }
}

interface Values {
  email: string
  link: string | null
  time: string
  /** Other values in the text. */
  words: Record<string, string>
}

const languageOf = (locale: string) => (isLocale(locale) ? locale : defaultLocale)

function compose(kind: MailKind, locale: string, values: Values): Mail {
  const { email, link, time } = values
  const language = languageOf(locale)
  const words: Record<string, string> = {
    ...values.words,
    email,
    time: `${timeFormats[language].format(new Date(time))} UTC`,
  }
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (all, name) => words[name] ?? all)
  const text = mailTexts[language][kind]
  const content: MailContent = {
    language,
    subject: text.subject,
    preheader: fill(text.preheader),
    title: text.title,
    before: text.before.map(fill),
    action: link === null ? null : { button: text.button, fallback: linkFallback[language], link },
    after: text.after.map(fill),
    reason: fill(text.reason),
  }
  return { to: email, subject: text.subject, text: textOf(content), html: htmlOf(content) }
}

const timeFormat = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const timeFormats = { 'en-US': timeFormat('en-US'), 'ru-RU': timeFormat('ru-RU') }
