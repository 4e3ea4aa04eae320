import { expect, test } from 'vitest'
import { keptInputs, keptRaw } from './kept-input.ts'

test('a draft of raw bytes has no keys, PINs or secrets, whatever separates the digits', () => {
  expect(keptRaw('80 CA 9F 7F 00', false)).toBe('80 CA 9F 7F 00')
  expect(keptRaw('80 E2 00 00 02 AA BB', false)).toBe('80 E2 00 00 02 AA BB')
  expect(keptRaw('80 CA 9F 7F 00', true)).toBe('')
  for (const command of ['80D8 0081 10 40', '00:20:00:80:04:31', '8024', '84-E2-60-00-01-AA'])
    expect(keptRaw(command, false), command).toBe('')
})

test('a draft of commands has no data marked as secret or encrypted', () => {
  const select = { aid: 'A000000151000000' }
  const data = { data: 'C0FFEE', encryption: 'unspecified', isSecret: false }
  const inputs = { MplSelect: select, MplStoreData: data }
  expect(keptInputs(inputs)).toEqual(inputs)
  for (const secret of [{ isSecret: true }, { encryption: 'encrypted' }])
    expect(keptInputs({ MplSelect: select, MplStoreData: { ...data, ...secret } })).toEqual({
      MplSelect: select,
    })
})
