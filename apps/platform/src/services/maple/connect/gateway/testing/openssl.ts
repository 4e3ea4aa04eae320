import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0
export const needs = '(needs openssl)'

interface Made {
  cert: string
  key: string
}

/** Keys and certificates in a temporary folder, created with the documentation's commands. */
export function openCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'grove-certificates-'))
  let count = 0

  function run(args: string[], input?: string) {
    const { status, stdout, stderr } = spawnSync('openssl', args, { cwd: folder, input })
    if (status !== 0) throw new Error(stderr.toString())
    return stdout
  }

  function makeKey(isRsa = false): string {
    const file = join(folder, `${++count}.key`)
    if (isRsa) run(['genrsa', '-out', file, '2048'])
    else run(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file])
    return file
  }

  /** An authority, or a server with a self-signed certificate. */
  function makeRoot(
    name: string,
    { key = makeKey(), extensions = ['basicConstraints=critical,CA:TRUE'], days = 30 } = {},
  ): Made {
    const cert = join(folder, `${++count}.crt`)
    const more = extensions.flatMap((each) => ['-addext', each])
    run([
      'req',
      '-x509',
      '-new',
      '-key',
      key,
      '-subj',
      `/CN=${name}`,
      '-days',
      `${days}`,
      '-out',
      cert,
      ...more,
    ])
    return { cert, key }
  }

  /** The certificate of a device; times are `YYYYMMDDHHMMSSZ`. */
  function issue(
    by: Made,
    subject: string,
    {
      serial = `${++count + 4096}`,
      extensions = 'basicConstraints=CA:FALSE',
      key = makeKey(),
      from,
      to,
    }: { serial?: string; extensions?: string; key?: string; from?: Date; to?: Date } = {},
  ): Made {
    const [request, cert] = [join(folder, `${++count}.csr`), join(folder, `${++count}.crt`)]
    run(['req', '-new', '-key', key, '-subj', subject, '-out', request])
    const file = join(folder, `${++count}.ext`)
    writeFileSync(file, extensions)
    if (!from && !to) {
      run([
        'x509',
        '-req',
        '-in',
        request,
        '-CA',
        by.cert,
        '-CAkey',
        by.key,
        '-set_serial',
        `0x${serial}`,
        '-days',
        '30',
        '-extfile',
        file,
        '-out',
        cert,
      ])
      return { cert, key }
    }
    // Only `openssl ca` sets both ends.
    const time = (date: Date) => date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
    const settings = join(folder, `${++count}.cnf`)
    const database = join(folder, `${count}.txt`)
    writeFileSync(database, '')
    writeFileSync(join(folder, `${count}.srl`), serial)
    writeFileSync(
      settings,
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${database}\nnew_certs_dir=${folder}\nserial=${join(folder, `${count}.srl`)}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`,
    )
    run([
      'ca',
      '-batch',
      '-config',
      settings,
      '-in',
      request,
      '-cert',
      by.cert,
      '-keyfile',
      by.key,
      '-startdate',
      time(from ?? new Date()),
      '-enddate',
      time(to ?? new Date(Date.now() + 1e9)),
      '-extfile',
      file,
      '-notext',
      '-out',
      cert,
    ])
    return { cert, key }
  }

  return {
    folder,
    makeKey,
    makeRoot,
    issue,
    /** The signature of a text in base64, as in the documentation. */
    sign: (text: string, key: string) =>
      run(['dgst', '-sha256', '-sign', key], text).toString('base64'),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
