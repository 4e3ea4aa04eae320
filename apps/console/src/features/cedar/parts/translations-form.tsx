import { type VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { notify } from '../../../ui/toast/notify.tsx'
import { checkDraft, DraftRefused, draftPath } from './check-draft.ts'
import { ConflictNotice } from './conflict-notice.tsx'
import { TranslationFields } from './translation-fields.tsx'
import { fromDraft, toDraft, type Draft, type Translation } from './translations.ts'
import { useDraft, type Saved } from './use-draft.ts'

interface TranslationsFormProps {
  fields: readonly VersionTextField[]
  saved: Saved
  needsDefaultLocale?: boolean
  save: (translations: Translation[], revision: number) => Promise<Saved>
  /** What the service holds now. */
  reload: () => Promise<Saved>
}

interface Save {
  draft: Draft
  revision: number
}

const isConflict = (error: unknown) => error instanceof ApiProblem && error.code === 'edit_conflict'

export function TranslationsForm(props: TranslationsFormProps) {
  const { fields, saved, needsDefaultLocale = false, save, reload } = props
  const { t, i18n } = useLingui()
  const { draft, setDraft, isDirty, revision, rebase } = useDraft(saved)
  const [theirs, setTheirs] = useState<Saved>()

  const found = checkDraft(draft, { fields, needsDefaultLocale }, i18n)

  const mutation = useMutation({
    mutationFn: async (change: Save) => {
      if (Object.keys(found).length > 0) throw new DraftRefused()
      return save(fromDraft(change.draft), change.revision)
    },
    onSuccess: (result, { draft: sent }) => {
      rebase(result, sent)
      setTheirs(undefined)
      notify({ text: t`Saved.` })
    },
    onError: async (error) => {
      if (isConflict(error)) setTheirs(await reload())
    },
  })

  const errors =
    mutation.error instanceof DraftRefused
      ? found
      : fieldErrors(mutation.error, i18n, draftPath(mutation.variables?.draft ?? draft))

  return (
    <FormShell
      submitError={isConflict(mutation.error) && theirs ? null : mutation.error}
      isSubmitting={mutation.isPending}
      isDirty={isDirty}
      onSubmit={() => mutation.mutate({ draft, revision })}
      submitLabel={t`Save`}
      disabledReason={isDirty ? undefined : t`Nothing has changed.`}
    >
      {theirs && (
        <ConflictNotice
          fields={fields}
          mine={draft}
          theirs={toDraft(theirs.translations)}
          onReload={() => {
            rebase(theirs)
            setTheirs(undefined)
            mutation.reset()
          }}
          onOverwrite={() => mutation.mutate({ draft, revision: theirs.revision })}
        />
      )}
      <TranslationFields fields={fields} draft={draft} onChange={setDraft} errors={errors} />
    </FormShell>
  )
}
