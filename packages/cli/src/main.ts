#!/usr/bin/env node
import { writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { readArguments, usage, type PublishOptions } from './arguments.ts'
import { check } from './check/main.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { asCodeQuality, asGitHub, asText } from './findings.ts'
import { pack } from './pack-folder.ts'
import { publish } from './publish.ts'
import { createService } from './service.ts'

const say = (text: string) => process.stderr.write(`${text}\n`)

async function run(options: PublishOptions): Promise<number> {
  const packed = await pack(options.source)
  const { url, key } = options
  const call = createService({ url, key, say })
  const { onProgress, endProgress } = progressLine()
  const result = await publish(call, options, packed, { say, onProgress, pause: wait }).finally(
    endProgress,
  )
  const { report, version, state } = result
  if (report) {
    const lines = options.findings === 'github' ? asGitHub(report) : asText(report)
    // Annotations are read from standard output; JSON there must stay alone.
    const print = options.json ? say : console.log
    for (const line of lines) print(line)
    if (options.codeQuality !== undefined)
      await writeFile(options.codeQuality, JSON.stringify(asCodeQuality(report), null, 2))
  }
  if (options.json) console.log(JSON.stringify(result))
  if (state === 'refused') {
    say(`Version ${version} was refused: its package broke the rules above.`)
    return exitCodes.refused
  }
  say(state === 'live' ? `Version ${version} is live.` : `Version ${version} is ready.`)
  return exitCodes.published
}

/** On a terminal, one line that is overwritten; in a log, a line for each quarter. */
function progressLine() {
  const { isTTY } = process.stderr
  let shown = -1
  return {
    onProgress: (sent: number, total: number) => {
      const percent = Math.floor((sent / total) * 100)
      const step = isTTY ? percent : Math.floor(percent / 25) * 25
      if (step <= shown) return
      shown = step
      process.stderr.write(isTTY ? `\r${step} % of ${kilobytes(total)}` : `  ${step} %\n`)
    },
    endProgress: () => {
      if (isTTY && shown >= 0) process.stderr.write('\n')
    },
  }
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} kB`

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args
  if (
    args.length === 0 ||
    (command !== 'check' && args.includes('--help')) ||
    args.includes('-h')
  ) {
    console.log(usage)
    return args.length === 0 ? exitCodes.usage : exitCodes.published
  }
  try {
    if (command === 'check') return await check(rest, process.env, (line) => console.log(line))
    return await run(readArguments(args, process.env))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const isUsage = error.exitCode === exitCodes.usage
    say(isUsage ? `${error.message}\n\nRun "grove --help" for help.` : error.message)
    return error.exitCode
  }
}

process.exitCode = await main(process.argv.slice(2))
