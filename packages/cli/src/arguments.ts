import { parseArgs } from 'node:util'
import { CommandError, exitCodes } from './exit-codes.ts'

export interface PublishOptions {
  /** A folder, or a zip file to send unchanged. */
  source: string
  /** The id or the link id of the app. */
  app: string
  url: string
  key: string
  /** Release notes by locale. */
  notes: Record<string, string>
  /** Default: the version after the newest. */
  version: string | undefined
  enable: boolean
  json: boolean
  /** Where to write GitLab's code quality report. */
  codeQuality: string | undefined
  /** How to print findings. */
  findings: 'text' | 'github'
}

export const usage = `Usage: grove publish <folder or zip> --app <id> [options]
       grove check cedar|maple <address> [options]   (grove check --help)

Packs a folder, uploads it as a version of a mini-app, and says what its check found.

  --app ID             the app: its id, or its link id while a version is live
  --version X.Y.Z      the version; by default the one after the newest
  --notes TEXT         what is new, in English; --notes ru-RU=TEXT in Russian
  --enable             make the version live once its package passed
  --json               print the result as JSON, and everything else to the error output
  --code-quality FILE  write the findings as a GitLab code quality report
  --github             print the findings as GitHub annotations (set on GitHub Actions)
  --url ADDRESS        the address of Grove; GROVE_URL by default
  --key KEY            a publish key; GROVE_KEY by default, and better there

Exit codes: 0 published, 1 failed, 2 wrong command line, 3 package refused,
4 key not allowed, 5 the version exists with other bytes.`

const locales = ['en-US', 'ru-RU']
const versionPattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/
const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** @throws CommandError that names the invalid argument. */
export function readArguments(
  args: readonly string[],
  env: Record<string, string | undefined>,
): PublishOptions {
  const { values, positionals } = parse(args)
  const [command, source, ...more] = positionals
  if (command !== 'publish') throw wrong(`There is no command ${command ?? ''}.`)
  if (source === undefined) throw wrong('Name the folder of the app, such as dist/.')
  if (more.length > 0) throw wrong(`Publish one folder at a time, not ${more.join(' ')} too.`)
  const { app, version } = values
  const { url = env['GROVE_URL'], key = env['GROVE_KEY'] } = values
  if (app === undefined || !(uuidPattern.test(app) || /^[\da-z]{7}$/i.test(app)))
    throw wrong('--app is the id of the app, or the 7 characters of its link.')
  if (version !== undefined && !versionPattern.test(version))
    throw wrong('--version is three numbers, such as 1.2.0.')
  if (!url) throw wrong('Set GROVE_URL to the address of Grove, such as https://grove.example.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw wrong(`${url} is not an address that begins with https://.`)
  if (!key) throw wrong('Set GROVE_KEY to a publish key; the app’s page in the console makes one.')
  if (!/^grove_[\w-]+$/.test(key)) throw wrong('A publish key begins with grove_publish_.')
  return {
    source,
    app,
    url: url.replace(/\/+$/, ''),
    key,
    notes: readNotes(values.notes ?? []),
    version,
    enable: values.enable,
    json: values.json,
    codeQuality: values['code-quality'],
    findings: values.github || env['GITHUB_ACTIONS'] === 'true' ? 'github' : 'text',
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        app: { type: 'string' },
        version: { type: 'string' },
        notes: { type: 'string', multiple: true },
        enable: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        github: { type: 'boolean', default: false },
        'code-quality': { type: 'string' },
        url: { type: 'string' },
        key: { type: 'string' },
      },
    })
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error))
  }
}

/** `--notes "ru-RU=Исправлены ошибки"`; without a locale it is English. */
function readNotes(given: readonly string[]): Record<string, string> {
  const notes: Record<string, string> = {}
  for (const note of given) {
    const locale = locales.find((each) => note.startsWith(`${each}=`))
    const text = locale === undefined ? note : note.slice(locale.length + 1)
    if (text.length > 500) throw wrong('--notes has at most 500 characters.')
    notes[locale ?? 'en-US'] = text
  }
  return notes
}

const wrong = (message: string) => new CommandError(exitCodes.usage, message)
