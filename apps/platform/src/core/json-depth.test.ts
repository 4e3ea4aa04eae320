import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DeepJsonError, deepestJson, readJson } from './json-depth.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('JSON from outside may only have so many levels', () => {
  expect(readJson(nested(deepestJson))).toEqual(JSON.parse(nested(deepestJson)))
  for (const text of [nested(deepestJson + 1), nested(200_000), `{"a":${nested(deepestJson)}}`])
    expect(() => readJson(text)).toThrow(DeepJsonError)
  // Brackets within strings are not levels.
  expect(readJson(JSON.stringify(`\\"${'['.repeat(100)}`))).toHaveLength(102)
  expect(() => readJson('[')).toThrow(SyntaxError)
})

/** Files that parse JSON themselves, and where it comes from. */
const own: Readonly<Record<string, string>> = {
  'core/json-depth.ts': 'counts the levels first',
  'core/folder-lock.ts': 'a lock that this platform wrote',
  'core/jobs/run-job.ts': 'an input that this platform sealed',
  'core/mail/mail-folder.ts': 'mail that this platform keeps',
  'core/sandbox/run-job.ts': 'texts of the prelude of the sandbox',
  'services/auth/external/describe-error.ts': 'names it in a comment',
  'services/auth/session/session.service.ts': 'an answer that this platform sealed',
  'services/auth/settings.ts': 'a setting of the operator',
  'services/auth/signing-key/parts/sealed-key.ts': 'a key that this platform sealed',
  'services/cedar/difference/difference.service.ts': 'counts the levels first',
  'services/cedar/push-transport/push-settings.ts': 'a setting of the operator',
  'services/cedar/storage/mini-app.service.ts': 'what it has just written',
  'services/maple/program/cloud-handler/program-calls.ts': 'runs inside of the sandbox',
  'services/maple/program/cloud-handler/run-handler.ts': 'an event that this platform stored',
  'services/maple/connect/device-command/device-command.service.ts': 'what it has just written',
  'services/maple/connect/gateway/intake-writer.ts': 'batches that a gateway wrote',
  'services/maple/base/export/export-ticket.ts': 'a ticket that this platform sealed',
  'services/maple/card/relay/element-relay.ts': 'an exchange that this platform sealed',
  'services/maple/card/session/command-queue.ts': 'an input that this platform sealed',
  'services/maple/card/software-card/card-keys.ts': 'keys that this platform sealed',
  'services/maple/access/stage/cedar-client.ts': 'an answer of this process',
  'services/maple/program/template/template-run.service.ts': 'an input that this platform sealed',
}

test('everything that parses JSON limits its levels, or says where it comes from', () => {
  const src = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|\/)testing\//.test(file),
  )
  const parsing = files.filter((file) =>
    /JSON\.parse\b|\.json\(\)/.test(readFileSync(`${src}${file}`, 'utf8')),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(parsing.toSorted()).toEqual(Object.keys(own).toSorted())
})
