import { expect, onTestFinished, test } from 'vitest'
import { installPacked } from '../../../scripts/packed-program.ts'

test('the command runs from its installed tarball', { timeout: 120_000 }, async () => {
  const installed = await installPacked('cli')
  onTestFinished(() => void installed.remove())
  const files = await installed.files()
  expect([...new Set(files.map((path) => path.replace(/\/.*/, '')))]).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ])
  expect(files.filter((path) => path.includes('test'))).toEqual([])

  const { stdout } = await installed.run('grove', ['--help'])
  expect(stdout).toContain('Usage: grove publish')
  await expect(installed.run('grove', ['publish', 'dist'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--app is the id of the app'),
  })
})
