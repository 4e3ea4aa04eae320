import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { largestFare } from '@grove/contract/cedar/provider.rules'
import type { LocaleCode } from '@grove/contract/locale.rules'

export type Fare = AdminProvider['fares'][number]

/** A fare as the form holds it: the amount as people write it, days or empty. */
export type FareValues = Record<
  LocaleCode | 'amount' | 'currency' | 'validFrom' | 'validTo',
  string
> &
  Pick<Fare, 'id' | 'period'>

export const newFare = (): FareValues => ({
  id: crypto.randomUUID(),
  'en-US': '',
  'ru-RU': '',
  amount: '',
  currency: 'EUR',
  period: 'month',
  validFrom: '',
  validTo: '',
})

export const isCurrency = (text: string) => /^[A-Z]{3}$/.test(text)

/** How many decimals a currency has: none for the yen, two for the euro. */
const digitsOf = (currency: string) =>
  isCurrency(currency)
    ? (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? 2)
    : 2

export function fareValues(fare: Fare): FareValues {
  const nameIn = (code: LocaleCode) =>
    fare.names.find(({ localeCode }) => localeCode === code)?.name ?? ''
  const digits = digitsOf(fare.currency)
  return {
    id: fare.id,
    'en-US': nameIn('en-US'),
    'ru-RU': nameIn('ru-RU'),
    amount: (fare.amountMinor / 10 ** digits).toFixed(digits),
    currency: fare.currency,
    period: fare.period,
    validFrom: fare.validFrom ?? '',
    validTo: fare.validTo ?? '',
  }
}

/** In minor units, such as cents. */
export function amountOf(text: string, currency: string): number {
  const [whole = '', part = ''] = text.trim().replace(',', '.').split('.')
  return Number(whole + part.padEnd(digitsOf(currency), '0'))
}

export const isAmount = (text: string, currency: string): boolean => {
  const digits = digitsOf(currency)
  const pattern = digits === 0 ? /^\d+$/ : new RegExp(`^\\d+([.,]\\d{1,${digits}})?$`)
  return pattern.test(text.trim()) && amountOf(text, currency) <= largestFare
}

export type FareState = 'valid' | 'future' | 'ended'

/** Whether a fare is valid on the reader's current day; both of its days are inclusive. */
export function fareState(
  { validFrom, validTo }: Pick<FareValues, 'validFrom' | 'validTo'>,
  now: Date,
): FareState {
  const two = (number: number) => String(number).padStart(2, '0')
  const today = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  if (validFrom !== '' && today < validFrom) return 'future'
  return validTo !== '' && today > validTo ? 'ended' : 'valid'
}
