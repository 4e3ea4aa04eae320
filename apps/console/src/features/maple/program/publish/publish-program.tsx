import { useLingui } from '@lingui/react/macro'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import type { Published } from './published-version.tsx'

interface PublishProgramProps {
  /** What happens to the version. */
  hint: string
  maxLength: number
  publish: (version: { note: string }) => Promise<{ number: number }>
  refresh: () => unknown
  onClose: () => void
}

/** Publishes a program's draft as a version, with a note on what changed. */
export function PublishProgram({
  hint,
  maxLength,
  publish,
  refresh,
  onClose,
}: PublishProgramProps) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Publish the draft`}
      submitLabel={t({ message: 'Publish', context: 'the draft of a program' })}
      fields={{
        note: { label: t`What changed (optional)`, hint, maxLength, autoComplete: 'off' },
      }}
      form={{ values: { note: '' }, submit: publish }}
      done={({ number }) => t`Version ${number} is published.`}
      refresh={refresh}
      onClose={onClose}
    />
  )
}

/** Why the program's draft cannot be published at the moment. */
export function usePublishRefusal({ version, isChanged }: Published, isSaved: boolean) {
  const { t } = useLingui()
  if (!isSaved) return t`Save the draft first.`
  return version !== null && !isChanged ? t`Version ${version} is this draft.` : undefined
}
