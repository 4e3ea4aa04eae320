import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { resumeChoices, type ResumeChoice } from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { ChangeDialog } from '../../../ui/dialog/change-dialog.tsx'
import { refreshRollouts, resumeRollout } from './rollout.api.ts'
import styles from './rollout.module.css'

/** Asks what to do with the group that failed. */
export function ResumeDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) {
  const { t } = useLingui()
  const words: Record<ResumeChoice, readonly [string, string]> = {
    retry: [t`Retry the failed devices`, t`They wait again, and the group continues with them.`],
    next: [
      t`Accept the failures and continue`,
      t`The other devices of the group and the next group continue.`,
    ],
    skip: [
      t`Skip the rest of the group`,
      t`Its waiting devices are skipped, and the next group starts.`,
    ],
  }
  return (
    <ChangeDialog<{ choice: ResumeChoice }, Rollout>
      title={t`Resume “${rollout.name}”`}
      submitLabel={t`Resume`}
      form={{
        values: { choice: 'retry' },
        submit: ({ choice }) => resumeRollout(rollout.id, choice),
      }}
      done={() => t`The rollout is running again.`}
      refresh={refreshRollouts}
      onClose={onClose}
    >
      {(form) => (
        <fieldset className={styles.choices}>
          <legend>{t`What should happen to the failed group?`}</legend>
          {resumeChoices.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="choice"
                checked={form.values.choice === choice}
                onChange={() => form.set({ choice })}
              />
              <span>
                {words[choice][0]}
                <small className="muted">{words[choice][1]}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </ChangeDialog>
  )
}
