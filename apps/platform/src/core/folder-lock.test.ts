import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockFolder } from './folder-lock.ts'
import { runScript } from './testing/run-script.ts'

describe('the lock of a folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'grove-lock-')))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const hold = () => runScript(new URL('./testing/hold-folder.ts', import.meta.url), folder)

  test('refuses a second process in one sentence with the folder and the holder', async () => {
    const holder = hold()
    expect(await holder.firstLine).toBe('holds')
    const second = hold()
    expect(await second.firstLine).toBe(
      `StartupError: The data folder ${folder} is in use by process ${holder.child.pid}: stop it, or set GROVE_DATA to another folder.`,
    )
    expect(await second.exited).toBe(0)
    holder.child.kill('SIGKILL')
    await holder.exited
  })

  test('of a killed process is taken immediately, by exactly one of many contenders', async () => {
    const killed = hold()
    await killed.firstLine
    killed.child.kill('SIGKILL')
    await killed.exited
    const racers = Array.from({ length: 6 }, hold)
    const answers = await Promise.all(racers.map((racer) => racer.firstLine))
    const winner = racers[answers.indexOf('holds')]
    const losers = answers.filter((answer) =>
      answer.includes(`in use by process ${winner?.child.pid}`),
    )
    expect(losers).toHaveLength(5)
    winner?.child.kill('SIGKILL')
    await winner?.exited
    expect((await readdir(folder)).length).toBe(1)
  })

  test('has one holder even when many attempts race inside one process @long', async () => {
    for (let round = 0; round < 10; round++) {
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)))
      const held = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(held).toHaveLength(1)
      await held[0]?.value.release()
      expect(await readdir(folder)).toEqual([])
    }
  })

  test.runIf(process.platform === 'linux')(
    'holds when its file in the folder is deleted',
    async () => {
      const lock = await lockFolder(folder)
      for (const name of await readdir(folder)) await rm(join(folder, name))
      await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`)
      await lock.release()
      await (await lockFolder(folder)).release()
    },
  )

  test('works in a folder whose path is longer than a socket allows', async () => {
    const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100))
    await mkdir(deep, { recursive: true })
    const lock = await lockFolder(deep)
    await expect(lockFolder(deep)).rejects.toThrow(`in use by process ${process.pid}`)
    await lock.release()
    await (await lockFolder(deep)).release()
  })
})
