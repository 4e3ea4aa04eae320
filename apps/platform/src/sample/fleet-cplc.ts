/** The parts of a sample element's CPLC. */
export interface CardProduction {
  /** 32 bits, different for each chip of a fabrication day. */
  serial: number
  /** The day of wafer fabrication; the later steps follow it. */
  fabricated: Date
  /** 16 bits. */
  batch: number
  /** 32 bits: the machine that personalised the chip. */
  equipment: number
}

const dayMs = 86_400_000

/**
 * The 42 bytes returned by `GET DATA 9F7F`, as 84 upper-case hex digits. The layout is that of
 * GlobalPlatform Card Specification 2.1.1, appendix on CPLC; the comments are byte offsets.
 */
export function buildCplc({ serial, fabricated, batch, equipment }: CardProduction): string {
  const after = (days: number) => productionDate(new Date(fabricated.getTime() + days * dayMs))
  return [
    '4790', // 0 IC fabricator: NXP
    'D321', // 2 IC type: the SE05x family
    '4700', // 4 operating system id
    '1048', // 6 operating system release date
    '0300', // 8 operating system release level
    after(0), // 10 IC fabrication date
    hex(serial, 8), // 12 IC serial number
    hex(batch, 4), // 16 IC batch identifier
    '4812', // 18 module fabricator
    after(12), // 20 module packaging date
    '4810', // 22 ICC manufacturer
    after(26), // 24 embedding date
    '4C47', // 26 pre-personaliser
    after(30), // 28 pre-personalisation equipment date
    hex(equipment, 8), // 30 pre-personalisation equipment id
    '4C47', // 34 personaliser
    after(31), // 36 personalisation date
    hex(equipment + 1, 8), // 38 personalisation equipment id
  ].join('')
}

/** Binary-coded decimal `YDDD`: the last digit of the year and the day of the year. */
export function productionDate(date: Date): string {
  const year = date.getUTCFullYear()
  const day = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / dayMs) + 1
  return `${year % 10}${String(day).padStart(3, '0')}`
}

const hex = (value: number, digits: number) =>
  (value >>> 0).toString(16).toUpperCase().padStart(digits, '0').slice(-digits)
