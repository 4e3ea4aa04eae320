import { expect, test } from 'vitest'
import { deviceOf } from './device-of.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15'

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/149.0.0.0 Safari/537.36`,
    ['computer', 'Chrome', 'Windows'],
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/149.0.0.0 Safari/537.36 Edg/149.0.0.0`,
    ['computer', 'Edge', 'Windows'],
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 YaBrowser/25.12.0.0 Safari/537.36`,
    ['computer', 'Yandex Browser', 'Windows'],
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/149.0.0.0 Safari/537.36 OPR/125.0.0.0`,
    ['computer', 'Opera', 'macOS'],
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    ['computer', 'Safari', 'macOS'],
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    ['computer', 'Firefox', 'Linux'],
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/149.0.0.0 Safari/537.36`,
    ['computer', 'Chrome', 'Linux'],
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/149.0.0.0 Safari/537.36`,
    ['computer', 'Chrome', 'ChromeOS'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/149.0.0.0 Mobile Safari/537.36`,
    ['phone', 'Chrome', 'Android'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36`,
    ['tablet', 'Samsung Internet', 'Android'],
  ],
  [
    `${iPhone} (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1`,
    ['phone', 'Safari', 'iPhone'],
  ],
  [
    `${iPhone} (KHTML, like Gecko) CriOS/149.0.0.0 Mobile/15E148 Safari/604.1`,
    ['phone', 'Chrome', 'iPhone'],
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15',
    ['tablet', 'Firefox', 'iPad'],
  ],
  ['Mozilla/5.0 (compatible; Something)', ['unknown', null, null]],
  ['curl/8.14.1', ['program', 'curl', null]],
  ['node', ['program', 'node', null]],
  ['', ['unknown', null, null]],
  ['<script>alert(1)</script>', ['unknown', null, null]],
] as const)('%s', (userAgent, [kind, browser, system]) =>
  expect(deviceOf(userAgent)).toEqual({ kind, browser, system }),
)
