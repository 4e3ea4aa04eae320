import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { useWorkingProvider } from '../../../../session/working-provider.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { command } from './reader.api.ts'
import styles from './reader.module.css'

/** The commands to run on the machine with the reader. */
export function Command({ text }: { text: string }) {
  const { t } = useLingui()
  return (
    <div className={styles.command}>
      <code>{text}</code>
      <CopyButton value={text} label={t`Copy the command`} />
    </div>
  )
}

/** The steps from a pairing code to a connected reader. */
export function PairingSteps({ code }: { code: string }) {
  return (
    <ol className={styles.steps}>
      <li>
        <Trans>On the machine with the reader, which needs Node, run:</Trans>
        <Command text={command(`--code ${code}`)} />
      </li>
      <li>
        <Trans>
          Keep it running. This page shows the reader and its card as soon as they are connected.
          With <code>--state FILE</code> the program stores its key, and needs no new code later.
        </Trans>
      </li>
    </ol>
  )
}

/** The alternative, for a machine that starts unattended. */
export function WithKey() {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const stage = useWorkingProvider(viewer.userId)
  const id = stage && !stage.isDefault ? stage.id : undefined
  return (
    <details className={styles.key}>
      <summary>
        <Trans>Without a code, with an API key</Trans>
      </summary>
      <p>
        <Trans>
          A program that starts automatically needs no code: give it an API key of your working
          stage. It adds its reader to this list.
        </Trans>
      </p>
      <Command text={`GROVE_KEY=grove_… ${command(`--stage ${id ?? '<provider id>'}`)}`} />
      <p>
        <Link to="/dashboard/maple/keys" preload={false}>
          <Trans>Create an API key</Trans>
        </Link>
      </p>
    </details>
  )
}
