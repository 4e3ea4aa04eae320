import { expect, test } from 'vitest'
import { missingPermissions } from './mini-app-right.rules.ts'
import { isPublicHttps, isStrongApiKey } from './moby-api.rules.ts'

test('an address of the Moby API is https with a public name', () => {
  const good = [
    'https://iot.example.com',
    'https://iot.example.com:8443/v2?tenant=a',
    'https://тест.example.com/',
    'https://a.xn--p1ai',
  ]
  for (const text of good) expect([text, isPublicHttps(text)]).toEqual([text, true])
})

test('an address that leads into a private network is refused in every notation', () => {
  const bad = [
    '',
    'iot.example.com',
    'http://iot.example.com',
    'ftp://iot.example.com',
    'javascript:alert(1)',
    'https://localhost',
    'https://localhost.',
    'https://api.localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://0x7f000001',
    'https://2130706433',
    'https://017700000001',
    'https://10.0.0.8',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://[fd00::1]',
    'https://8.8.8.8',
    'https://metadata.google.internal',
    'https://router.lan',
    'https://printer.local.',
    'https://intranet',
    'https://10.in-addr.arpa',
    'https://user:password@iot.example.com',
    'https://iot.example.com/#part',
    'https://１２７.0.0.1',
    'https://ⓛocalhost',
    `https://iot.example.com/${'x'.repeat(500)}`,
  ]
  for (const text of bad) expect([text, isPublicHttps(text)]).toEqual([text, false])
})

test('a key is long, of visible characters, and not too repetitive', () => {
  expect(isStrongApiKey('k7Qw2pZr9XtB4vNm6LsD8fGh3JcY5aEu')).toBe(true)
  for (const key of [
    '',
    'short',
    'ab'.repeat(40),
    'k7Qw2pZr9XtB4vNm 6LsD8fGh3JcY5aEu',
    'ключ'.repeat(9),
  ])
    expect([key, isStrongApiKey(key)]).toEqual([key, false])
  expect(isStrongApiKey('k7Qw2pZr9XtB4vNm'.repeat(9))).toBe(false)
})

test('required permissions must be granted, and optional ones must be allowed', () => {
  const rights = [
    { permission: 'camera', mode: 'granted' },
    { permission: 'push', mode: 'optional' },
    { permission: 'contacts', mode: 'none' },
  ] as const
  const asked = (required: string[], optional: string[] = []) =>
    missingPermissions(rights, { required, optional })
  expect(asked(['Camera'], ['push', 'camera'])).toEqual([])
  expect(asked(['push', 'contacts', 'location'])).toEqual(['push', 'contacts', 'location'])
  expect(asked([], ['contacts', 'location'])).toEqual(['contacts', 'location'])
})
