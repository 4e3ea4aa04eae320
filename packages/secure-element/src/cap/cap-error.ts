export type CapErrorCode =
  | 'tooLarge'
  | 'notZip'
  | 'unsupportedZip'
  | 'encrypted'
  | 'tooManyEntries'
  | 'duplicateEntry'
  | 'corruptEntry'
  | 'severalPackages'
  | 'missingComponent'
  | 'wrongTag'
  | 'wrongSize'
  | 'wrongMagic'
  | 'unsupportedFormat'
  | 'wrongDirectory'
  | 'wrongAid'
  | 'duplicateAid'
  | 'cutOff'
  | 'leftOver'

const texts: Record<CapErrorCode, string> = {
  tooLarge: 'The file is larger than any CAP file',
  notZip: 'The file is not a ZIP archive',
  unsupportedZip: 'The archive uses an option of ZIP that CAP files do not',
  encrypted: 'The archive is encrypted',
  tooManyEntries: 'The archive has too many entries',
  duplicateEntry: 'Two entries have the same name',
  corruptEntry: 'The contents of an entry are damaged',
  severalPackages: 'The archive has components of more than one package',
  missingComponent: 'A component is missing',
  wrongTag: 'A component has the tag of another',
  wrongSize: 'The size of a component differs from its contents',
  wrongMagic: 'The header of the package is not that of a CAP file',
  unsupportedFormat: 'This format of CAP files is not supported',
  wrongDirectory: 'The directory gives a component another size',
  wrongAid: 'An application identifier is too short or too long',
  duplicateAid: 'Two applets have the same application identifier',
  cutOff: 'A component ends too early',
  leftOver: 'A component has bytes behind its contents',
}

interface Details {
  /** The entry or the component. */
  entry?: string
  expected?: string
  found?: string
}

/** The only error that the CAP parser throws. */
export class CapError extends Error {
  readonly code: CapErrorCode
  readonly entry: string | undefined
  readonly expected: string | undefined
  readonly found: string | undefined

  constructor(code: CapErrorCode, { entry, expected, found }: Details = {}) {
    const where = entry === undefined ? '' : `: ${entry}`
    const wanted = expected === undefined ? '' : `, expected ${expected}`
    super(`${texts[code]}${where}${wanted}${found === undefined ? '' : `, found ${found}`}`)
    this.name = 'CapError'
    this.code = code
    this.entry = entry
    this.expected = expected
    this.found = found
  }
}
