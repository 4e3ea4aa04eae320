import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkPackage } from './check-package.ts'
import { beginCheck, repairApart } from './package-checker.ts'
import { defaultPackageLimits } from './package-limits.ts'
import { rewritePackage } from './rewrite-package.ts'
import { buildZip } from './testing/zip-builder.ts'

const page = { name: 'index.html', data: '<link href="/app.css">'.repeat(300) }
const good = buildZip([page, { name: 'app.js', data: 'let a = 1\n'.repeat(9000) }])
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-checker-'))
})
afterAll(() => rm(folder, { recursive: true }))

const place = (name: string) => join(folder, name)

it('reports the same for a package that arrives in pieces as for the whole one', async () => {
  const path = place('good.zip')
  await writeFile(path, good)
  const check = beginCheck(defaultPackageLimits)
  try {
    for (let bytes = 1000; bytes < good.length; bytes += 1000) check.grew(bytes, path)
    expect(await check.report(path)).toEqual(await checkPackage(path, defaultPackageLimits))
    const here = await rewritePackage(path, defaultPackageLimits, place('here.zip'))
    expect(await check.rewrite(path, place('apart.zip'))).toEqual(here)
    expect(await readFile(place('apart.zip'))).toEqual(await readFile(place('here.zip')))
    expect(await check.rewrite(path, place('again.zip'))).toEqual(here)
  } finally {
    check.close()
  }
})

it('answers an error with its code, and checks the next package', async () => {
  const check = beginCheck(defaultPackageLimits)
  check.grew(10, place('missing.zip'))
  await expect(check.report(place('missing.zip'))).rejects.toMatchObject({ code: 'ENOENT' })
  check.close()
  const next = place('nested.zip')
  await writeFile(next, buildZip([{ ...page, name: 'dist/index.html' }]))
  const taken = repairApart(next, defaultPackageLimits, next)
  await expect(taken).rejects.toMatchObject({ code: 'EEXIST' })
  const repaired = await repairApart(next, defaultPackageLimits, place('repaired.zip'))
  expect(repaired?.repairs).toMatchObject([{ kind: 'root-folder' }])
})

it('aborts a cancelled check', async () => {
  const path = place('large.zip')
  // Deflated files of this size are read alternately.
  const data = randomBytes(1_500_000).toString('hex')
  await writeFile(
    path,
    buildZip([page, ...['a', 'b'].map((name) => ({ name: `${name}.txt`, data }))]),
  )
  const check = beginCheck(defaultPackageLimits)
  try {
    const report = check.report(path)
    check.cancel()
    await expect(report).rejects.toThrow('aborted')
    expect((await check.report(path)).ok).toBe(true)
  } finally {
    check.close()
  }
})
