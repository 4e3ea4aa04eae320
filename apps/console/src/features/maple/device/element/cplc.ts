/**
 * Card Production Life Cycle data, the answer to GET DATA `9F7F`: which bytes mean what
 * (GlobalPlatform Card Specification 2.1.1, appendix on CPLC). Each field with its length in bytes.
 */
const layout = [
  ['icFabricator', 2],
  ['icType', 2],
  ['osId', 2],
  ['osReleaseDate', 2],
  ['osReleaseLevel', 2],
  ['icFabricationDate', 2],
  ['icSerial', 4],
  ['icBatch', 2],
  ['moduleFabricator', 2],
  ['modulePackagingDate', 2],
  ['iccManufacturer', 2],
  ['embeddingDate', 2],
  ['prePersonalizer', 2],
  ['prePersonalizationDate', 2],
  ['prePersonalizationEquipment', 4],
  ['personalizer', 2],
  ['personalizationDate', 2],
  ['personalizationEquipment', 4],
] as const

export type CplcFieldName = (typeof layout)[number][0]

/** 42 bytes. */
export const cplcDigits = 84

/** Upper case, without spaces, colons and the tag and length `9F7F2A`. */
export const normalizeCplc = (text: string): string =>
  text
    .replaceAll(/[\s:]/g, '')
    .toUpperCase()
    .replace(/^9F7F2A(?=.{84}$)/, '')

export type CplcCheck =
  | { kind: 'complete'; cplc: string }
  | { kind: 'notHex'; found: string }
  | { kind: 'wrongLength'; digits: number }

/** What is typed so far: whole, on its way, or not hex at all. */
export function checkCplc(text: string): CplcCheck {
  const cplc = normalizeCplc(text)
  const found = /[^0-9A-F]/u.exec(cplc)?.[0]
  if (found) return { kind: 'notHex', found }
  // Cut off, the tag and length are no part of what is counted.
  const digits = cplc.length > cplcDigits ? cplc.length : cplc.replace(/^9F7F2A/, '').length
  return cplc.length === cplcDigits ? { kind: 'complete', cplc } : { kind: 'wrongLength', digits }
}

export type ProductionDate =
  | { kind: 'none' }
  | { kind: 'notADate' }
  /** Only the last digit of the year is stored: the years it may be, the latest first. */
  | { kind: 'date'; candidates: string[] }

/** Reads `YDDD`, binary-coded decimal: the last digit of the year and the day of the year. */
export function productionDate(hex: string, now: Date): ProductionDate {
  if (hex === '0000' || hex === 'FFFF') return { kind: 'none' }
  if (!/^[0-9]{4}$/.test(hex)) return { kind: 'notADate' }
  const lastDigit = Number(hex[0])
  const day = Number(hex.slice(1))
  const thisYear = now.getUTCFullYear()
  const latest = thisYear - ((thisYear - lastDigit) % 10)
  const candidates = [latest, latest - 10, latest - 20]
    .map((year) => new Date(Date.UTC(year, 0, day)))
    // The 366th day of a common year would be the first of the next; a chip has no future.
    .filter((date) => day > 0 && date.getUTCFullYear() % 10 === lastDigit && date <= now)
    .slice(0, 2)
    .map((date) => date.toISOString().slice(0, 10))
  return candidates.length > 0 ? { kind: 'date', candidates } : { kind: 'notADate' }
}

export interface CplcField {
  name: CplcFieldName
  hex: string
  date?: ProductionDate
}

/** The fields of a normalised CPLC in their order. */
export function cplcFields(cplc: string, now: Date): CplcField[] {
  let offset = 0
  return layout.map(([name, bytes]) => {
    const hex = cplc.slice(offset, (offset += bytes * 2))
    return name.endsWith('Date') ? { name, hex, date: productionDate(hex, now) } : { name, hex }
  })
}

/** Fabricator, type, fabrication date, serial and batch: what personalisation cannot rewrite. */
export const chipId = (cplc: string): string => cplc.slice(0, 8) + cplc.slice(20, 36)

export const icSerial = (cplc: string): string => cplc.slice(24, 32)

const fabricators: Record<string, string> = { '4790': 'NXP' }
const types: Record<string, string> = { '4790D321': 'SE05x' }

/** Names of the fabricator and the chip, where they are known. */
export const fabricatorName = (cplc: string): string | undefined => fabricators[cplc.slice(0, 4)]
export const typeName = (cplc: string): string | undefined => types[cplc.slice(0, 8)]
