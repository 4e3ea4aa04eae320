import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readConfig } from './core/config.ts'
import type { Environment } from './core/environment.ts'
import { apiVersionsOf, chooseServices } from './core/service.ts'
import { StartupError } from './core/startup-error.ts'
import { readSample } from './sample/sample-setting.ts'
import { services as known } from './services.ts'
import { readSettings as readAuthSettings } from './services/auth/settings.ts'
import { readSettings as readCedarSettings } from './services/cedar/settings.ts'
import { readSettings as readConsoleSettings } from './services/console/settings.ts'
import { stageConfiguration } from './services/console/stage.ts'

/** Everything that a start reads from the environment, with the same checks. */
function readAll(env: Environment) {
  const config = readConfig(env)
  const hasSample = readSample(env, config)
  const services = chooseServices(known, env, config).map(({ name }) => name)
  return {
    ...config,
    services,
    hasSample,
    hasDevPages: services.includes('dev'),
    ...(services.includes('auth') && readAuthSettings(env, config)),
    cedar: readCedarSettings(env, config),
    stage: stageConfiguration(readConsoleSettings(env, config), apiVersionsOf(known)),
  }
}

test('needs nothing, and then serves only this machine, with sample accounts', () => {
  const config = readAll({})
  expect(config).toMatchObject({ host: '127.0.0.1', port: 3000, hasSample: true, realm: 'grove' })
  expect(config.services).toEqual(['auth', 'cedar', 'maple', 'gateway', 'console', 'dev'])
  expect(config.stage.settings).toEqual({
    authApiVersion: '1',
    cedarApiVersion: '1.7',
    mapleApiVersion: '3',
  })
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
  [{ TELEMETRY_URL: 'postgres://h/t' }, 'TELEMETRY_URL is set without DATABASE_URL'],
  [
    { TELEMETRY_URL: 'postgres://h/t', DATABASE_URL: 'postgres://h/t' },
    'TELEMETRY_URL is DATABASE_URL: name another database',
  ],
  [{ NATS_URL: 'http://u:secret@h' }, 'NATS_URL is not an address such as nats://'],
  [{ GROVE_NATS_REPLICAS: '7' }, 'GROVE_NATS_REPLICAS is "7"; it must be a whole number from 1'],
  [
    { GROVE_SERVICES: 'auth,ceder' },
    'GROVE_SERVICES names "ceder"; it may hold: auth, cedar, maple, gateway, console.',
  ],
  [{ GROVE_ROLES: 'web,worker' }, 'GROVE_ROLES names "worker"; it may hold: web, gateway, runner.'],
  [{ GROVE_ROLES: 'web' }, 'the embedded database belongs to one process, which has every role'],
  [
    { GROVE_ROLES: 'gateway', GROVE_SERVICES: 'auth,maple', DATABASE_URL: 'postgres://h/db' },
    'GROVE_SERVICES has nothing for it: this process would do nothing.',
  ],
  [{ GROVE_MIGRATE: 'no' }, 'GROVE_MIGRATE is "no"; it must be one of: start, check.'],
  [{ GROVE_MQTT_PORT: '0' }, 'GROVE_MQTT_PORT is "0"; it must be a whole number from 1 to 65535.'],
  [{ GROVE_DEVICE_TLS_PORT: '8443' }, 'GROVE_DEVICE_TLS_PORT needs GROVE_DEVICE_TLS_CERT'],
  [
    { GROVE_APP_LINK: 'javascript:{url}' },
    'GROVE_APP_LINK must be an address that a host app opens',
  ],
  [{ GROVE_APP_INSTALL: 'http://h/get' }, 'GROVE_APP_INSTALL must be an https address'],
  [{ GROVE_FIRST_ADMIN: 'ada' }, 'GROVE_FIRST_ADMIN is "ada"; it must be an email address'],
  [
    { GROVE_FIRST_ADMIN: 'ada@example.com', GROVE_FIRST_ADMIN_PASSWORD: 'short' },
    'GROVE_FIRST_ADMIN_PASSWORD must have 8 to 20 characters, needs an uppercase letter, needs a digit',
  ],
  [{ GROVE_FIRST_ADMIN_PASSWORD: 'Meadow!2847' }, 'is set without GROVE_FIRST_ADMIN'],
  [{ MQTT_URL: 'http://h' }, 'MQTT_URL is not an address that starts with mqtt:// or mqtts://.'],
  [{ GROVE_SERVICES: 'cedar' }, 'GROVE_SERVICES leaves out auth'],
  [{ GROVE_HOST: '0.0.0.0', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
  [{ GROVE_TRUST_PROXY: 'on', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
  [{ GROVE_ENV: 'production', GROVE_SAMPLE: 'on' }, 'sample accounts have a public password'],
])('%o is refused by name and with the allowed values', (env, sentence) => {
  expect(() => readAll(env)).toThrow(StartupError)
  expect(() => readAll(env)).toThrow(sentence)
})

test('an address that may contain a password is never repeated', () => {
  expect(() => readAll({ DATABASE_URL: 'mysql://u:secret@h/db' })).not.toThrow(/secret/)
})

test('listening beyond this machine disables the sample accounts', () => {
  expect(readAll({ GROVE_HOST: '0.0.0.0' }).hasSample).toBe(false)
  expect(readAll({ GROVE_TRUST_PROXY: 'on' }).hasSample).toBe(false)
})

describe('who signs tokens', () => {
  const elsewhere = { GROVE_SERVICES: 'cedar,maple', GROVE_AUTH_TOKENS: 'foreign' }
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

  test('our own tokens always have a verified issuer and audience', () => {
    expect(readAll({}).tokens).toMatchObject({ kind: 'grove', issuer: 'grove', audience: 'grove' })
    expect(readAll({ GROVE_AUTH_ISSUER: 'https://id.example.com' }).tokens).toMatchObject({
      issuer: 'https://id.example.com',
      audience: 'grove',
    })
  })

  test('those of another service are checked for what is configured', () => {
    const jwksUrl = 'https://id.example.com/certs'
    const env = { ...elsewhere, GROVE_AUTH_JWKS_URL: jwksUrl }
    expect(readAll(env).tokens).toEqual({ kind: 'foreign', jwksUrl })
    expect(readAll({ ...env, GROVE_AUTH_AUDIENCE: 'console' }).tokens).toEqual({
      kind: 'foreign',
      audience: 'console',
      jwksUrl,
    })
  })

  test('a service that signs tokens itself accepts no foreign ones', () => {
    expect(() => readAll({ GROVE_AUTH_TOKENS: 'foreign' })).toThrow('Leave auth out')
  })

  test('a public key replaces a JWKS, with line breaks or with \\n in their place', () => {
    for (const value of [pem, pem.replaceAll('\n', '\\n'), pem.trim()]) {
      const config = readAll({ ...elsewhere, GROVE_AUTH_PUBLIC_KEY: value })
      expect(config.tokens.publicKey).toBe(pem)
      expect(config.stage.default.auth_public_key).toBe(pem)
    }
    expect(() => readAll({ ...elsewhere, GROVE_AUTH_PUBLIC_KEY: 'no key' })).toThrow(
      'GROVE_AUTH_PUBLIC_KEY is not a public key.',
    )
  })
})

test.each([
  [{}, true],
  [{ GROVE_HOST: '::1' }, true],
  [{ GROVE_HOST: '0.0.0.0' }, false],
  [{ GROVE_HOST: '192.168.1.5' }, false],
  [{ GROVE_TRUST_PROXY: 'on' }, false],
  [
    {
      GROVE_ENV: 'production',
      GROVE_SECRET: '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20',
    },
    false,
  ],
  [{ GROVE_SERVICES: 'cedar', GROVE_AUTH_JWKS_URL: 'http://127.0.0.1:3001/k' }, false],
])('with %o the mail page and the sample provider exist: %s', (env, hasDevPages) => {
  const config = readAll(env)
  expect(config.hasDevPages).toBe(hasDevPages)
})

describe('OpenID providers', () => {
  const example = {
    id: 'example',
    name: 'Example',
    issuer: 'https://id.example.com',
    clientId: 'grove',
    clientSecret: 'a secret of theirs',
  }
  const read = (...list: unknown[]) =>
    readAll({ GROVE_HOST: '0.0.0.0', GROVE_OPENID_PROVIDERS: JSON.stringify(list) })

  test('are in the given order; accounts that they create are customers by default', () => {
    const second = { ...example, id: 'second', role: 'DEVELOPER' }
    expect(read(example, second).openIdProviders).toEqual([
      { ...example, role: 'CUSTOMER' },
      second,
    ])
  })

  test.each([
    ['an administrator by provider', { role: 'ADMIN' }],
    ['an issuer without TLS', { issuer: 'http://id.example.com' }],
    ['an id that is no part of an address', { id: 'a/b' }],
    ['no secret', { clientSecret: '' }],
    ['a name that is no text', { name: 7 }],
    ['an issuer that is no address', { issuer: 'https://' }],
    ['an issuer that hides another host', { issuer: 'http://localhost:x@id.example.com' }],
    ['an issuer with a query', { issuer: 'https://id.example.com/?tenant=1' }],
    ['the id of the embedded provider', { id: 'sample' }],
  ])('%s is refused, and no secret is repeated', (_, change) => {
    expect(() => read({ ...example, ...change })).toThrow('GROVE_OPENID_PROVIDERS has')
    expect(() => read({ ...example, ...change })).not.toThrow('secret of theirs')
  })

  test('two with the same id are refused: people could sign in only with the first', () => {
    expect(() => read(example, { ...example, issuer: 'https://other.example.com' })).toThrow(
      'GROVE_OPENID_PROVIDERS has two entries with the id "example"; each id must be unique.',
    )
    expect(() => read({ ...example, id: 'sample' })).toThrow(
      'GROVE_OPENID_PROVIDERS has the id "sample", which is the embedded provider’s; choose another.',
    )
  })

  test('an issuer on this machine needs no TLS', () => {
    for (const issuer of [
      'http://localhost:8080/realms/a',
      'http://127.0.0.1:9/',
      'http://[::1]:9',
    ])
      expect(read({ ...example, issuer }).openIdProviders).toMatchObject([{ issuer }])
  })

  test('anything but a list is refused', () => {
    for (const value of ['{', '{}', 'null', '[null]'])
      expect(() => readAll({ GROVE_OPENID_PROVIDERS: value })).toThrow(StartupError)
  })
})

test('origins that may call from a browser are whole origins', () => {
  const read = (value: string) => readAll({ GROVE_ALLOWED_ORIGINS: value }).allowedOrigins
  expect(read('https://a.example.com, http://localhost:5173')).toEqual([
    'https://a.example.com',
    'http://localhost:5173',
  ])
  for (const value of ['*', 'https://a.example.com/', 'a.example.com', 'null', 'https://a.com,'])
    expect(() => read(value)).toThrow('GROVE_ALLOWED_ORIGINS names')
})

test('the console’s address is an origin, with or without a trailing slash', () => {
  const read = (value: string) => readAll({ GROVE_CONSOLE_URL: value }).publicUrl
  expect(read('https://grove.example.com')).toBe('https://grove.example.com')
  expect(read('http://10.0.0.1:8080/')).toBe('http://10.0.0.1:8080')
  for (const path of ['console', '?a=b', '#x'])
    expect(() => read(`https://grove.example.com/${path}`)).toThrow(
      'GROVE_CONSOLE_URL must be an origin without a path, such as https://grove.example.com.',
    )
})

test('the sender of mail has an address, with or without a name', () => {
  const read = (from: string) => readAll({ MAIL_FROM: from }).mailFrom
  for (const from of [
    'mail@example.org',
    'Grove <mail@example.org>',
    '"A, B" <a@example.org>',
    'a@localhost',
  ])
    expect(read(from)).toBe(from)
  for (const from of [
    'Grove',
    'Grove <mail>',
    'a@example.org, b@example.org',
    'a\r\nBcc: <b@c.de>',
  ])
    expect(() => read(from)).toThrow('MAIL_FROM contains no email address; it must look like')
})

test('mail and providers that need the console’s address are refused without it', () => {
  const secret = {
    GROVE_SECRET: '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20',
  }
  const mail = { MAIL_URL: 'smtp://mail.example.com' }
  const provider = { id: 'example', name: 'E', clientId: 'grove', clientSecret: 's' }
  const list = JSON.stringify([{ ...provider, issuer: 'https://id.example.com' }])
  for (const where of [{ GROVE_ENV: 'production', ...secret }, { GROVE_TRUST_PROXY: 'on' }]) {
    expect(() => readAll({ ...where, ...mail })).toThrow('MAIL_URL is set, and links')
    const withProvider = { ...where, ...mail, GROVE_OPENID_PROVIDERS: list }
    expect(() => readAll(withProvider)).toThrow('GROVE_OPENID_PROVIDERS is set, and links')
    const whole = { ...withProvider, GROVE_CONSOLE_URL: 'https://grove.example.com' }
    expect(readAll(whole).publicUrl).toBe('https://grove.example.com')
    const elsewhere = { GROVE_SERVICES: 'cedar', GROVE_AUTH_JWKS_URL: 'https://id.example.com/k' }
    expect(readAll({ ...where, ...mail, ...elsewhere }).mailUrl).toBeDefined()
  }
  expect(readAll(mail).mailUrl).toBeDefined()
})

test('mail is sent only by SMTP, and its password is not repeated', () => {
  expect(readAll({ MAIL_URL: 'smtps://u:p@mail.example.com' }).mailUrl).toBeDefined()
  expect(() => readAll({ MAIL_URL: 'https://u:hidden@mail.example.com' })).toThrow('MAIL_URL')
  expect(() => readAll({ MAIL_URL: 'https://u:hidden@mail.example.com' })).not.toThrow(/hidden/)
})

test.each([
  [{ GROVE_ENV: 'production' }, 'needs GROVE_SECRET'],
  [{ GROVE_ENV: 'production', GROVE_SECRET: 'change-me' }, 'too easy to guess'],
  [{ GROVE_SECRET: 'secret'.repeat(10) }, 'too easy to guess'],
])('%o is refused with the allowed values', (env, sentence) => {
  expect(() => readAll(env)).toThrow(StartupError)
  expect(() => readAll(env)).toThrow(sentence)
  expect(() => readAll(env)).not.toThrow(/change-me|secretsecret/)
})

test('production without an authentication service needs no secret', () => {
  const env = {
    GROVE_ENV: 'production',
    GROVE_SERVICES: 'cedar',
    GROVE_AUTH_JWKS_URL: 'https://a.b/c',
  }
  expect(readAll(env).secret).toBeUndefined()
})

test('developers can sign up themselves locally, and in production if configured', () => {
  const production = {
    GROVE_ENV: 'production',
    GROVE_SECRET: '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20',
  }
  expect(readAll({}).hasSelfServiceDevelopers).toBe(true)
  expect(readAll(production).hasSelfServiceDevelopers).toBe(false)
  const on = { ...production, GROVE_SELF_SERVICE_DEVELOPERS: 'on' }
  expect(readAll(on).hasSelfServiceDevelopers).toBe(true)
})
