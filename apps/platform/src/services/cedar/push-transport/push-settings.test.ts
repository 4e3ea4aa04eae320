import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { readPushSettings } from './push-settings.ts'

const key = (kind: 'rsa' | 'ec') =>
  (kind === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()

const account = (change: object = {}) =>
  JSON.stringify({
    project_id: 'grove',
    client_email: 'sender@grove.test',
    private_key: key('rsa'),
    token_uri: 'https://oauth2.googleapis.com/token',
    ...change,
  })
const secret = 'x'.repeat(32)

it('nothing is configured by default, and the variables choose one transport', () => {
  expect(readPushSettings({})).toBeNull()
  expect(readPushSettings({ GROVE_FCM_ACCOUNT: account() })).toMatchObject({
    kind: 'fcm',
    url: 'https://fcm.googleapis.com',
    account: { projectId: 'grove' },
    connections: 32,
  })
  expect(
    readPushSettings({
      GROVE_PUSH_WEBHOOK_URL: 'https://push.example.com/',
      GROVE_PUSH_WEBHOOK_SECRET: secret,
      GROVE_PUSH_CONNECTIONS: '4',
    }),
  ).toMatchObject({ kind: 'webhook', url: 'https://push.example.com', connections: 4 })
})

it('a wrong value is refused by name, and no key is repeated @long', () => {
  const refusals: [Record<string, string>, string][] = [
    [{ GROVE_FCM_ACCOUNT: 'no-such-file.json' }, 'GROVE_FCM_ACCOUNT is neither'],
    [{ GROVE_FCM_ACCOUNT: account({ project_id: '' }) }, 'GROVE_FCM_ACCOUNT has no project_id'],
    [{ GROVE_FCM_ACCOUNT: account({ private_key: 'x' }) }, 'not an RSA key'],
    [{ GROVE_FCM_ACCOUNT: account({ private_key: key('ec') }) }, 'not an RSA key'],
    [{ GROVE_FCM_ACCOUNT: account({ token_uri: 'http://example.com' }) }, 'https://'],
    [{ GROVE_FCM_URL: 'http://example.com' }, 'GROVE_FCM_URL must start with https://'],
    [
      { GROVE_PUSH_WEBHOOK_URL: 'http://10.0.0.1/', GROVE_PUSH_WEBHOOK_SECRET: secret },
      'GROVE_PUSH_WEBHOOK_URL must start with https://',
    ],
    [{ GROVE_PUSH_WEBHOOK_URL: 'https://example.com' }, 'GROVE_PUSH_WEBHOOK_SECRET'],
    [{ GROVE_PUSH_CONNECTIONS: '0' }, 'GROVE_PUSH_CONNECTIONS'],
    [
      {
        GROVE_FCM_ACCOUNT: account(),
        GROVE_PUSH_WEBHOOK_URL: 'http://127.0.0.1:9/',
        GROVE_PUSH_WEBHOOK_SECRET: secret,
      },
      'not both',
    ],
  ]
  for (const [env, message] of refusals) expect(() => readPushSettings(env)).toThrow(message)
})
