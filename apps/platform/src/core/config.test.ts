import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { StartupError } from './startup-error.ts'

test('needs nothing and then serves this machine only, with sample accounts', () => {
  const config = readConfig({})
  expect(config).toMatchObject({ host: '127.0.0.1', port: 3000, hasSample: true, realm: 'grove' })
  expect(config.stage.default).toEqual({ auth_api_provider: 'grove' })
})

test.each([
  [{ GROVE_PORT: 'eighty' }, 'GROVE_PORT is "eighty"; it must be a whole number from 0 to 65535.'],
  [{ GROVE_PORT: '70000' }, 'GROVE_PORT is "70000"; it must be a whole number from 0 to 65535.'],
  [{ GROVE_ENV: 'prod' }, 'GROVE_ENV is "prod"; it must be one of: local, production.'],
  [
    { DATABASE_URL: 'mysql://u:secret@h/db' },
    'DATABASE_URL is not an address that starts with postgres://',
  ],
  [
    { GROVE_SERVICES: 'auth,ceder' },
    'GROVE_SERVICES names "ceder"; it may hold: auth, cedar, maple, console.',
  ],
  [{ GROVE_SERVICES: 'cedar' }, 'GROVE_SERVICES leaves out auth'],
  [{ GROVE_HOST: '0.0.0.0', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
  [{ GROVE_TRUST_PROXY: 'on', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
  [{ GROVE_ENV: 'production', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
])('%o is refused by name and with what would be right', (env, sentence) => {
  expect(() => readConfig(env)).toThrow(StartupError)
  expect(() => readConfig(env)).toThrow(sentence)
})

test('an address that may hold a password is never repeated', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://u:secret@h/db' })).not.toThrow(/secret/)
})

test('listening beyond this machine turns the sample accounts off', () => {
  expect(readConfig({ GROVE_HOST: '0.0.0.0' }).hasSample).toBe(false)
  expect(readConfig({ GROVE_TRUST_PROXY: 'on' }).hasSample).toBe(false)
})
