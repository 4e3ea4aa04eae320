import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultOf } from './hsm-fault.ts'
import { readHsmSettings } from './hsm-settings.ts'

let folder: string
let module: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-hsm-'))
  module = join(folder, 'module.so')
  await writeFile(module, '')
  await writeFile(join(folder, 'empty'), '\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('no settings mean no HSM', () => {
  expect(readHsmSettings({})).toBeNull()
})

test('the library sees none of our own secrets', () => {
  const settings = readHsmSettings({
    PKCS11_MODULE: module,
    PKCS11_TOKEN: 'grove',
    PKCS11_PIN: '1234',
    SOFTHSM2_CONF: '/etc/softhsm2.conf',
    GROVE_SECRET: 'a',
    GROVE_VAULT_KEY: 'b',
    DATABASE_URL: 'c',
    MAIL_URL: 'd',
    AWS_SECRET_ACCESS_KEY: 'e',
    OBJECTS_URL: 'f',
  })
  expect(settings).toMatchObject({ module, token: 'grove' })
  expect(settings?.pin()).toBe('1234')
  expect(settings?.env).toEqual({
    PKCS11_MODULE: module,
    PKCS11_TOKEN: 'grove',
    SOFTHSM2_CONF: '/etc/softhsm2.conf',
  })
})

test.each([
  [{ PKCS11_TOKEN: 'grove' }, 'PKCS11_TOKEN is set without PKCS11_MODULE'],
  [{ PKCS11_PIN: '1234' }, 'PKCS11_PIN is set without PKCS11_MODULE'],
  [{ PKCS11_MODULE: 'softhsm.so' }, 'PKCS11_MODULE is "softhsm.so"'],
  [{ PKCS11_MODULE: '/nowhere/softhsm.so' }, 'where no file is'],
  [{ PKCS11_MODULE: 'here' }, 'PKCS11_TOKEN is not set'],
  [{ PKCS11_MODULE: 'here', PKCS11_TOKEN: 'x'.repeat(33) }, 'PKCS11_TOKEN is too long'],
  [{ PKCS11_MODULE: 'here', PKCS11_TOKEN: 'grove' }, 'Set one of PKCS11_PIN and PKCS11_PIN_FILE'],
  [
    { PKCS11_MODULE: 'here', PKCS11_TOKEN: 'grove', PKCS11_PIN: '1234', PKCS11_PIN_FILE: '/pin' },
    'Set one of PKCS11_PIN',
  ],
  [{ PKCS11_MODULE: 'here', PKCS11_TOKEN: 'grove', PKCS11_PIN_FILE: '/nowhere' }, 'cannot be read'],
  [{ PKCS11_MODULE: 'here', PKCS11_TOKEN: 'grove', PKCS11_PIN_FILE: 'empty' }, 'which is empty'],
])('refuses %o at the start in one sentence, without the PIN', (env, sentence) => {
  const given = Object.entries(env).map(([name, value]) => {
    if (value === 'here') return [name, module]
    return [name, value === 'empty' ? join(folder, 'empty') : value]
  })
  const read = () => readHsmSettings(Object.fromEntries(given) as Record<string, string>)
  expect(read).toThrow(sentence)
  expect(read).not.toThrow('1234')
})

// Answers that SoftHSM never gives.
test.each([
  [0x31, 'full'],
  [0xa0, 'pinWrong'],
  [0xa4, 'pinLocked'],
  [0xb3, 'lost'],
  [0x30, 'lost'],
  [0x70, 'unsupported'],
])('the return value %i becomes a specific fault', (result, kind) => {
  expect(faultOf('C_Sign', result)).toMatchObject({ kind })
})
