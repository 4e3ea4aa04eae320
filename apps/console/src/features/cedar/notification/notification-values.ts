import type { Audience } from '@grove/contract/cedar/notification'
import {
  isAppVersion,
  productLink,
  textBytes,
  type DevicePlatform,
} from '@grove/contract/cedar/notification.rules'
import { locales, type LocaleCode } from '@grove/contract/locale.rules'
import { api } from '../../../session/api.ts'
import type { Form } from '../../../ui/form/use-form.ts'
import { fromLocalTime } from '../../../ui/i18n/local-time.ts'

export type TextName = `${LocaleCode}.${'title' | 'body'}`

export interface Values {
  productId: string
  texts: Record<TextName, string>
  platforms: readonly DevicePlatform[]
  locales: readonly LocaleCode[]
  minAppVersion: string
  maxAppVersion: string
  who: 'all' | 'test'
  opens: 'app' | 'link' | 'address'
  link: string
  when: 'now' | 'later'
  sendAt: string
  expiry: 'none' | 'hour' | 'day' | 'week'
}

export const empty: Values = {
  productId: '',
  texts: { 'en-US.title': '', 'en-US.body': '', 'ru-RU.title': '', 'ru-RU.body': '' },
  platforms: [],
  locales: [],
  minAppVersion: '',
  maxAppVersion: '',
  who: 'all',
  opens: 'app',
  link: '',
  when: 'now',
  sendAt: '',
  expiry: 'none',
}

const expirySeconds = { none: null, hour: 3600, day: 86_400, week: 7 * 86_400 } as const
export const fieldNames = ['title', 'body'] as const

export const isToCome = (time: string) => Date.parse(time) > Date.now()
export const isHttps = (text: string) =>
  URL.canParse(text.trim()) && /^https:\/\//i.test(text.trim())

/** The texts that are not empty. */
export function textsOf({ texts }: Values) {
  return locales
    .map((localeCode) => ({
      localeCode,
      title: texts[`${localeCode}.title`],
      body: texts[`${localeCode}.body`],
    }))
    .filter(({ title, body }) => title.trim() !== '' || body.trim() !== '')
}

export const linkOf = ({ opens, link }: Values) =>
  opens === 'app' ? null : opens === 'link' ? productLink : link.trim()

export const largestOf = (values: Values) =>
  Math.max(
    0,
    ...textsOf(values).map((text) =>
      textBytes(text, { link: linkOf(values), expirySeconds: expirySeconds[values.expiry] }),
    ),
  )

export const hasVersions = ({ minAppVersion, maxAppVersion }: Values) =>
  [minAppVersion, maxAppVersion].every(
    (version) => version.trim() === '' || isAppVersion(version.trim()),
  )

function audienceOf(values: Values): Audience {
  const [least, most] = [values.minAppVersion.trim(), values.maxAppVersion.trim()]
  return {
    ...(values.platforms.length > 0 && { platforms: [...values.platforms] }),
    ...(values.locales.length > 0 && { locales: [...values.locales] }),
    ...(least !== '' && { minAppVersion: least }),
    ...(most !== '' && { maxAppVersion: most }),
    ...(values.who === 'test' && { testDevices: true }),
  }
}

export function estimateQuery(values: Values, productId: string) {
  const { platforms, locales: languages, ...rest } = audienceOf(values)
  return api.cedar.query('/api/notification/audience', {
    query: {
      productId,
      ...rest,
      ...(platforms && { platforms: platforms.join(',') }),
      ...(languages && { locales: languages.join(',') }),
    },
  })
}

export function bodyOf(values: Values, productId: string) {
  const link = linkOf(values)
  const sendAt = values.when === 'later' ? fromLocalTime(values.sendAt) : null
  const seconds = expirySeconds[values.expiry]
  const due = sendAt === null ? Date.now() : Date.parse(sendAt)
  return {
    productId,
    translations: textsOf(values),
    audience: audienceOf(values),
    ...(link !== null && { link }),
    ...(sendAt !== null && { sendAt }),
    ...(seconds !== null && { expiresAt: new Date(due + seconds * 1000).toISOString() }),
  }
}

/** `translations.0.body` of the request is `texts.en-US.body` of the form. */
export function fieldOfPath(path: string, sent: Values): string {
  const [, index = '', field = ''] = /^translations\.(\d+)\.(\w+)/.exec(path) ?? []
  const text = textsOf(sent)[Number(index)]
  if (index !== '' && text) return `texts.${text.localeCode}.${field}`
  return path.replace('audience.', '')
}

export interface PartProps {
  form: Form<Values>
}
