import { expect, test } from 'vitest'
import { readWrapped } from './read-wrapped.ts'

const keys = { enc: 'AB'.repeat(24), mac: 'AC'.repeat(24), dek: 'AD'.repeat(24) }
const cplc = '4790D321' + '00'.repeat(38)
const file = {
  format: 'grove-keys',
  cplc,
  domain: null,
  version: 48,
  protocol: 'SCP03',
  checkValues: ['504A77', '504A77', '504A77'],
  wrapping: 'AES-KWP',
  transportCheckValue: '010203',
  keys,
}

const block = (fields: string) => `D0144${fields}30E0000${'0'.repeat(128)}`

test('a file with key blocks is read as well', () => {
  const blocks = { enc: block('D0AB'), mac: block('M6AC'), dek: block('K0AB') }
  const text = JSON.stringify({ ...file, wrapping: 'TR-31', keys: blocks })
  expect(readWrapped(text)?.keys).toEqual(blocks)
})

test('the file of an export is read', () => {
  expect(readWrapped(JSON.stringify(file, null, 2))).toEqual({
    cplc,
    domain: null,
    version: 48,
    protocol: 'SCP03',
    keys,
  })
  const domain = 'A0000001515350410001'
  expect(readWrapped(JSON.stringify({ ...file, domain }))?.domain).toBe(domain)
})

test.each([
  '',
  'null',
  '[]',
  '"grove-keys"',
  '{"format":"grove-keys"}',
  JSON.stringify({ ...file, format: 'other' }),
  JSON.stringify({ ...file, protocol: 'SCP80' }),
  JSON.stringify({ ...file, cplc: '4790' }),
  JSON.stringify({ ...file, keys: { ...keys, mac: 'AC' } }),
  JSON.stringify({ ...file, keys: { ...keys, mac: block('M6AC').slice(0, 111) } }),
  JSON.stringify({ ...file, keys: { ...keys, mac: `${block('M6AC')}\n` } }),
  JSON.stringify(file).slice(0, -2),
])('%s is none', (text) => {
  expect(readWrapped(text)).toBeUndefined()
})
