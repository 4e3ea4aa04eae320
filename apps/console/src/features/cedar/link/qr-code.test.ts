import decode from 'qr/decode.js'
import { expect, test } from 'vitest'
import { qrCode, type QrCode } from './qr-code.ts'

/** The code as a camera sees it, eight pixels a module. */
function pictureOf({ path, size }: QrCode) {
  const side = size * 8
  const data = new Uint8Array(side * side * 4).fill(255)
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let dy = 0; dy < 8; dy += 1)
      for (let dx = 0; dx < Number(length) * 8; dx += 1) {
        const at = ((Number(y) * 8 + dy) * side + Number(x) * 8 + dx) * 4
        data.fill(0, at, at + 3)
      }
  return { width: side, height: side, data }
}

test.each([
  'https://grove.example.com/Ab3dEfg',
  `https://console.grove.a-rather-long-name.example.com:8443/Zz9Zz9Z?lang=ru-RU`,
])('a code decodes to the link it was made from: %s', (url) => {
  expect(decode(pictureOf(qrCode(url)))).toBe(url)
})

test('a code has four light modules on each side', () => {
  const { path, size } = qrCode('https://grove.example.com/Ab3dEfg')
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    expect(Math.min(Number(x), Number(y))).toBeGreaterThanOrEqual(4)
    expect(Math.max(Number(x) + Number(length), Number(y) + 1)).toBeLessThanOrEqual(size - 4)
  }
})
