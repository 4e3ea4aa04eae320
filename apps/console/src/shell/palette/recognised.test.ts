import { expect, test } from 'vitest'
import { recognised } from './recognised.ts'

const cplc = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'

test.each([
  ['as it is stored', cplc],
  ['in lower case', cplc.toLowerCase()],
  ['as a card replies with it', `9F7F2A${cplc}9000`],
  ['in pairs, on two lines', ` 9f 7f 2a\n${cplc.replaceAll(/../g, '$& ')} 90 00 `],
])('a CPLC is recognised %s', (_, text) =>
  expect(recognised(text)).toEqual({ cplc, chip: 'NXP', serial: '00485399' }),
)

test.each(['', 'turnstile', cplc.slice(2), `${cplc}00`, `${cplc.slice(0, -1)}G`])(
  '%j is no CPLC',
  (text) => expect(recognised(text)).toBeUndefined(),
)
