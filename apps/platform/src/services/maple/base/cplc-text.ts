import { cplcDigits, hexOfCplc } from '@grove/secure-element/cplc'
import { invalidField } from '../../../core/http/problem.ts'

/**
 * The CPLC in a text.
 * @throws ProblemError `invalid_request` that says what is wrong.
 */
export function readCplc(path: string, text: string): string {
  const hex = hexOfCplc(text)
  const digits = Array.from(hex).length
  const found = /[^0-9A-F]/u.exec(hex)?.[0]
  if (found !== undefined)
    throw invalidField(path, 'notHex', `${path} contains “${found}”, which is not a hex digit.`, {
      found,
    })
  if (digits !== cplcDigits)
    throw invalidField(
      path,
      'wrongLength',
      digits % 2 === 1
        ? `${path} has ${digits} hex digits, so half a byte is missing; a CPLC has ${cplcDigits}.`
        : `${path} has ${digits} hex digits; a CPLC has ${cplcDigits}.`,
      { digits, limit: cplcDigits },
    )
  return hex
}
