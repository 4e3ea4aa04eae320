import { checkCplc, fabricatorName, icSerial, typeName } from '@grove/secure-element/cplc'

export interface RecognisedCplc {
  cplc: string
  /** The chip's name, if its type or fabricator is known. */
  chip: string | undefined
  serial: string
}

/** The CPLC in a text: hex as people paste it, or a card's response with it. */
export function recognised(text: string): RecognisedCplc | undefined {
  const check = checkCplc(text)
  if (check.kind !== 'complete') return undefined
  const { cplc } = check
  return { cplc, chip: typeName(cplc) ?? fabricatorName(cplc), serial: icSerial(cplc) }
}
