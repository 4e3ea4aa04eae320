import type {
  ScriptNote,
  ScriptRefusal,
  ScriptRow,
} from '@grove/contract/maple/program/template-script.rules'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert } from 'lucide-react'
import { stepLine } from '../step.labels.ts'
import styles from './script.module.css'

const refusals: Record<ScriptRefusal, MessageDescriptor> = {
  unknown: msg`This command or option is unknown.`,
  missing: msg`A value is missing.`,
  wrongValue: msg`The value is not valid.`,
  keys: msg`Keys are changed on the page of an element, and a template holds none.`,
  reserved: msg`Only the page of an element does this.`,
  otherDomain: msg`The step that installs an applet loads it into the issuer’s domain.`,
  secret: msg`The bytes hold a PIN or encrypted data. Add a step with a secret parameter instead.`,
  noStep: msg`Templates have no step for this.`,
}

const notes: Record<ScriptNote, MessageDescriptor> = {
  keysLeftOut: msg`The keys are left out.`,
  channelOpen: msg`The channel is open already.`,
}

/** The lines of a script, each with its steps or the reason why it has none. */
export function ScriptPreview({ rows }: { rows: readonly ScriptRow[] }) {
  const { t, i18n } = useLingui()
  const translate = (message: MessageDescriptor) => i18n._(message)
  const refused = rows.filter((row) => row.refused.length > 0).length
  return (
    <section aria-label={t`What each line becomes`}>
      {refused > 0 && (
        <p className={styles.summary}>
          <CircleAlert size={16} aria-hidden />
          <span>
            <Trans>Lines left out, wholly or in part:</Trans>{' '}
            {rows
              .filter((row) => row.refused.length > 0)
              .map(({ line }) => line)
              .join(', ')}
          </span>
        </p>
      )}
      <ol className={styles.rows}>
        {rows.map(({ line, text, steps, notes: said, refused: wrong, files }) => (
          <li key={line} data-refused={wrong.length > 0 || undefined}>
            <span className={styles.number}>{line}</span>
            <div>
              <code className={styles.source}>{text}</code>
              {steps.map((step, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- a step has no id
                <div key={index} className={styles.step}>
                  <span aria-hidden>→ </span>
                  {[stepLine(step, translate), ...(step.kind.endsWith('Applet') ? files : [])].join(
                    ' · ',
                  )}
                  {step.values['applet'] === '' && (
                    <span className="muted">
                      {' '}
                      <Trans>The applet is not chosen yet.</Trans>
                    </span>
                  )}
                </div>
              ))}
              {wrong.map(({ reason, text: part }) => (
                <div key={`${reason} ${part}`} className="field-error">
                  <code>{part}</code>: {translate(refusals[reason])}
                </div>
              ))}
              {said.map((note) => (
                <div key={note} className="muted">
                  {translate(notes[note])}
                </div>
              ))}
              {steps.length + wrong.length + said.length === 0 && (
                <div className="muted">
                  <Trans>Nothing to send.</Trans>
                </div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
