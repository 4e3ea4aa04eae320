import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../../../core/config.ts'
import { openPreviewListener } from '../../../core/http/preview-listener.ts'
import { answerPace } from './paced-answer.ts'
import { servePreviews } from './preview-server.ts'
import { hostNameOf, previewTokens } from './preview-token.ts'
import { contentLimits, sharedContent } from './shared-content.ts'

const bytes = 6_000_000
const files = new Map(
  Array.from({ length: 5 }, (_, n) => {
    const file = { packed: Buffer.alloc(bytes, n), method: 0, bytes, crc32: 0 }
    return [`${n}.bin`, file] as const
  }),
)

test('memory of unread answers is released, including pipelined ones', async () => {
  const listener = await openPreviewListener(readConfig({ GROVE_PREVIEW_PORT: '0' }))
  if (!listener) throw new Error('Previews are on locally.')
  const port = Number(new URL(listener.pattern.replace('*', 'x')).port)
  const tokens = previewTokens('a secret of this test')
  const contents = sharedContent({ ...contentLimits, ofAddress: 10 * bytes })
  servePreviews({
    listener,
    tokens,
    packages: { open: async () => files, close: () => {} },
    contents,
    pace: { ...answerPace, pieceMs: 500 },
    firstScript: Buffer.alloc(0),
    headers: () => ({}),
    hostsOf: async () => [],
    now: Date.now,
    warn: (error) => {
      throw error
    },
  })
  const versionId = randomUUID()
  const grant = { versionId, sha256: 'ab'.repeat(32), expiresAt: Date.now() + 60_000 }
  const host = `${hostNameOf(versionId)}.localhost:${port}`
  const ask = (path: string) =>
    `GET /p/${tokens.sign(grant)}/auto/${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const [queued, single] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const socket of [queued, single]) socket.on('error', () => {}).pause()
  queued.write([...files.keys()].map((path) => ask(path)).join(''))
  single.write(ask('0.bin'))
  await expect.poll(() => contents.bytes()).toBe(5 * bytes)
  await expect.poll(() => contents.bytes(), { timeout: 20_000 }).toBe(0)
  queued.destroy()
  single.destroy()
  await listener.close()
})
