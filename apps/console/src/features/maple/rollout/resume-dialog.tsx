import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { resumeChoices, type ResumeChoice } from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { notify } from '../../../ui/toast/notify.ts'
import { refreshRollouts, resumeRollout } from './rollout.api.ts'
import styles from './rollout.module.css'

/** Asks what becomes of the group that failed. */
export function ResumeDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm<{ choice: ResumeChoice }, Rollout>({
    values: { choice: 'retry' },
    submit: ({ choice }) => resumeRollout(rollout.id, choice),
    onSaved: (saved) => {
      void refreshRollouts(saved)
      notify({ text: t`The rollout is running again.` })
      onClose()
    },
    isOnce: true,
  })
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
    <FormDialog
      title={t`Resume “${rollout.name}”`}
      form={form}
      submitLabel={t`Resume`}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
