import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isReservedKey,
  messageOf,
  normaliseBody,
  payloadBytes,
  productLink,
  receiptLength,
  textBytes,
  textFor,
  utf8Bytes,
} from './notification.rules.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 })

test('bytes are counted as UTF-8 has them, whatever the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Bytes(text)).toBe(Buffer.byteLength(text))
    }),
    { numRuns: 500 },
  )
  expect(utf8Bytes('a\ud800b')).toBe(Buffer.byteLength('a\ud800b'))
})

test('the meter never shows less than what is sent', () => {
  const id = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
  fc.assert(
    fc.property(
      fc.record({
        title: anyText,
        body: anyText,
        link: fc.option(fc.webUrl(), { nil: null }),
        isProduct: fc.boolean(),
        expirySeconds: fc.option(fc.integer({ min: 1, max: 28 * 86_400 }), { nil: null }),
        waited: fc.integer({ min: 0, max: 1000 }),
      }),
      ({ title, body, link, isProduct, expirySeconds, waited }) => {
        const shown = textBytes(
          { title, body },
          { link: isProduct ? productLink : link, expirySeconds },
        )
        const message = messageOf(
          { title, body: normaliseBody(body) },
          {
            notificationId: id,
            productId: id,
            receipt: 'A'.repeat(receiptLength),
            link: isProduct ? 'https://grove.example.com/Abc1234' : link,
            linkId: isProduct ? 'Abc1234' : null,
            expirySeconds: expirySeconds && Math.max(1, expirySeconds - waited),
            expiresAt: expirySeconds && 1_800_000_000,
          },
        )
        // A title is stored on one line, which may only shorten it.
        expect(shown).toBeGreaterThanOrEqual(
          payloadBytes({ ...message, notification: { ...message.notification, title: '' } }),
        )
        expect(payloadBytes(message)).toBe(Buffer.byteLength(JSON.stringify(message)))
        for (const key of Object.keys(message.data)) expect(isReservedKey(key)).toBe(false)
        for (const value of Object.values(message.data)) expect(typeof value).toBe('string')
      },
    ),
    { numRuns: 500 },
  )
})

test('keys reserved by FCM are recognised', () => {
  for (const key of ['from', 'message_type', 'google.sent_time', 'gcm.n.e', 'google'])
    expect(isReservedKey(key)).toBe(true)
  expect(isReservedKey('link')).toBe(false)
})

test('a device gets the text in its language, otherwise the default one, otherwise any', () => {
  const [en, ru] = [{ localeCode: 'en-US' as const }, { localeCode: 'ru-RU' as const }]
  expect(textFor([en, ru], 'ru-RU')).toBe(ru)
  expect(textFor([en], 'ru-RU')).toBe(en)
  expect(textFor([ru], 'en-US')).toBe(ru)
})

test('a body keeps its lines and is trimmed', () => {
  expect(normaliseBody('\n\n One  two \r\n\r\n three\r\n ')).toBe('One two\n\nthree')
})
