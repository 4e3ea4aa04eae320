import { Type } from 'typebox'
import { maxCplcTextLength } from './cplc.rules.ts'

const example =
  '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'
/** A CPLC as people paste it; the service parses it and says what is wrong. */
export const CplcText = Type.String({
  minLength: 1,
  maxLength: maxCplcTextLength,
  examples: [example],
  description:
    'A CPLC: 84 hex digits in any case; spaces, colons, the tag 9F7F2A and the status word 9000 are left out',
})
