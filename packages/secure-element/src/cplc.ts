/**
 * The layout of Card Production Life Cycle data, the answer to GET DATA `9F7F`: each field and its
 * length in bytes (GlobalPlatform Card Specification 2.1.1, appendix on CPLC).
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

/** A CPLC has 42 bytes, so 84 hex digits. */
export const cplcDigits = 84

/**
 * Matches a CPLC in hex, in either case: alone, or as a card returns it, between the tag and length
 * `9F7F2A` and the status word `9000`.
 */
export const cplcPattern = `^(9[Ff]7[Ff]2[Aa])?[0-9A-Fa-f]{${cplcDigits}}(9000)?$`

/**
 * Returns the CPLC as it is stored: upper case, without spaces, colons, the tag and length `9F7F2A`
 * and the status word `9000`. Invalid text stays invalid: check it with `checkCplc` or `cplcPattern`.
 */
export const normalizeCplc = (text: string): string =>
  text
    .replaceAll(/[\s:]/g, '')
    .toUpperCase()
    .replace(/^(?:9F7F2A)?(.{84})(?:9000)?$/, '$1')

/**
 * Returns the hex digits of a CPLC or of a part of one, as people paste them: also without the tag
 * and length that a card writes first, if the rest is not whole.
 *
 * @example
 * hexOfCplc('9f7f2a 4790 d321') // '4790D321'
 */
export const hexOfCplc = (text: string): string => normalizeCplc(text).replace(/^9F7F2A(?=.)/, '')

export type CplcCheck =
  | { kind: 'complete'; cplc: string }
  | { kind: 'notHex'; found: string }
  | { kind: 'wrongLength'; digits: number }

/** Checks text while it is typed: complete, too short, too long, or not hex. */
export function checkCplc(text: string): CplcCheck {
  const cplc = normalizeCplc(text)
  const found = /[^0-9A-F]/u.exec(cplc)?.[0]
  if (found) return { kind: 'notHex', found }
  // Do not count the tag and length of an incomplete CPLC.
  const digits = cplc.length > cplcDigits ? cplc.length : cplc.replace(/^9F7F2A/, '').length
  return cplc.length === cplcDigits ? { kind: 'complete', cplc } : { kind: 'wrongLength', digits }
}

export type ProductionDate =
  | { kind: 'none' }
  | { kind: 'notADate' }
  /** The possible dates, latest first: a CPLC stores only the last digit of the year. */
  | { kind: 'date'; candidates: string[] }

/** Parses a `YDDD` date in BCD: the last digit of the year and the day of the year. */
export function productionDate(hex: string, now: Date): ProductionDate {
  if (hex === '0000' || hex === 'FFFF') return { kind: 'none' }
  if (!/^[0-9]{4}$/.test(hex)) return { kind: 'notADate' }
  const lastDigit = Number(hex[0])
  const day = Number(hex.slice(1))
  const thisYear = now.getUTCFullYear()
  const latest = thisYear - ((thisYear - lastDigit) % 10)
  const candidates = [latest, latest - 10, latest - 20]
    .map((year) => new Date(Date.UTC(year, 0, day)))
    // Drop day 366 of a common year, which is the next 1 January, and dates in the future.
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

/** Splits a normalised CPLC into its fields, in their order. */
export function cplcFields(cplc: string, now: Date): CplcField[] {
  let offset = 0
  return layout.map(([name, bytes]) => {
    const hex = cplc.slice(offset, (offset += bytes * 2))
    return name.endsWith('Date') ? { name, hex, date: productionDate(hex, now) } : { name, hex }
  })
}

/**
 * Returns the fabricator, type, fabrication date, serial and batch of a normalised CPLC: 24 hex
 * digits that personalisation cannot change.
 */
export const chipId = (cplc: string): string => cplc.slice(0, 8) + cplc.slice(20, 36)

/** Returns the chip's serial number: 8 hex digits of a normalised CPLC. */
export const icSerial = (cplc: string): string => cplc.slice(24, 32)

/**
 * Identifies a chip for people: the serial number and the batch, in which chips with the same serial
 * number differ.
 * @example chipNumber(cplc) // '00485399-0648'
 */
export const chipNumber = (cplc: string): string => `${icSerial(cplc)}-${cplc.slice(32, 36)}`

// NXP: nano-package, ex_se05x_GetInfo.c. ST: fidesmo/fdsm, FidesmoCard.java.
const fabricators: Record<string, string> = { '4750': 'STMicroelectronics', '4790': 'NXP' }
const types: Record<string, string> = { '4790D321': 'SE05x' }

/** Return the names of the fabricator and the chip type, if known. */
export const fabricatorName = (cplc: string): string | undefined => fabricators[cplc.slice(0, 4)]
export const typeName = (cplc: string): string | undefined => types[cplc.slice(0, 8)]
