/** A status word that ends a command of the software card. */
export class Refusal extends Error {
  readonly statusWord: number

  constructor(statusWord: number) {
    super(statusWord.toString(16).toUpperCase().padStart(4, '0'))
    this.name = 'Refusal'
    this.statusWord = statusWord
  }
}

/** The card's status words, by cause. */
export const words = {
  success: 0x9000,
  moreBytes: 0x6100,
  alreadyClosed: 0x6200,
  cardLocked: 0x6283,
  wrongCryptogram: 0x6300,
  pinRequired: 0x6301,
  moreData: 0x6310,
  missingImport: 0x6438,
  wrongLength: 0x6700,
  unsupportedChannel: 0x6881,
  notSecure: 0x6982,
  blocked: 0x6983,
  notNow: 0x6985,
  noFile: 0x6986,
  wrongData: 0x6a80,
  unsupportedFunction: 0x6a81,
  notFound: 0x6a82,
  noRecord: 0x6a83,
  noSpace: 0x6a84,
  belowZero: 0x6a85,
  wrongParameters: 0x6a86,
  missingReference: 0x6a88,
  wrongOffset: 0x6b00,
  unknownInstruction: 0x6d00,
  unknownClass: 0x6e00,
} as const

export const refuse = (word: keyof typeof words): never => {
  throw new Refusal(words[word])
}
