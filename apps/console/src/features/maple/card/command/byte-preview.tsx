import { attempt } from '@grove/secure-element/decode-error'
import { explainCommand } from '@grove/secure-element/explain-apdu'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ByteDump } from '../../base/decode/byte-dump.tsx'
import { ExplainedBytes } from '../../base/decode/explained-bytes.tsx'
import styles from './command.module.css'

interface BytePreviewProps {
  commands: readonly Uint8Array[]
  /** The protocol of the channel, which adds its protection. */
  protocol: string | undefined
}

/** SELECT and MANAGE CHANNEL go outside a secure channel; SELECT ends it. */
const isSentPlain = ([, ins]: Uint8Array): boolean => ins === 0xa4 || ins === 0x70

/** Commands contain no dates that depend on the current day. */
const anyDay = new Date(0)

/** The bytes that will be sent, decoded while typing. */
export function BytePreview({ commands, protocol }: BytePreviewProps) {
  const { t } = useLingui()
  const [first, ...others] = commands
  if (!first) return null
  const parts = attempt(() => explainCommand(first, anyDay))
  return (
    <section className={styles.preview} aria-label={t`Bytes to send`}>
      <h3>
        <Trans>Bytes to send</Trans>
      </h3>
      {parts ? (
        <ExplainedBytes bytes={first} parts={parts} />
      ) : (
        <ByteDump bytes={first} marked={undefined} />
      )}
      {others.length > 0 && (
        <p className="muted">
          <Plural
            value={others.length}
            one="# more command follows, with the rest of the data."
            other="# more commands follow, with the rest of the data."
          />
        </p>
      )}
      {protocol !== undefined && !isSentPlain(first) && (
        <p className="muted">
          <Trans>The {protocol} channel adds its protection to these bytes.</Trans>
        </p>
      )}
    </section>
  )
}
