import type { MasterKey } from '@grove/contract/maple/card/key'
import { type keyAlgorithms, maxMasterNameLength } from '@grove/contract/maple/card/key.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { useNameField } from '../../../../../ui/form/name-problem.ts'
import { refreshKeys } from '../key/key.api.ts'
import {
  keyFieldOf,
  KeyFields,
  noKeys,
  sentKeys,
  useCheckValues,
  useKeyProblems,
  type KeyValues,
  type Made,
} from '../key/key-fields.tsx'

interface MasterKeyValues extends KeyValues {
  name: string
  algorithm: (typeof keyAlgorithms)[number]
}

/** Adds a named set of three master keys. */
export function AddMasterKeys({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const problemsOf = useKeyProblems()
  const [made, setMade] = useState<Made>({})
  return (
    <ChangeDialog<MasterKeyValues, MasterKey>
      title={t`Add master keys`}
      submitLabel={t`Add`}
      fields={{ name: useNameField(maxMasterNameLength) }}
      form={{
        values: { ...noKeys, name: '', algorithm: 'AES' },
        check: (values) => problemsOf(values, values.algorithm, made),
        submit: ({ name, algorithm, ...keys }) =>
          api.maple.post('/api/maple/se/masters', {
            body: { name, algorithm, ...sentKeys(keys, algorithm) },
          }),
        fieldOf: keyFieldOf,
        fieldOfCode: { already_exists: 'name' },
      }}
      done={({ name }) => t`The master keys “${name}” are added.`}
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => <TypedKeys form={form} made={made} onMade={setMade} />}
    </ChangeDialog>
  )
}

interface TypedKeysProps {
  form: Form<MasterKeyValues>
  made: Made
  onMade: (made: Made) => void
}

function TypedKeys({ form, made, onMade }: TypedKeysProps) {
  const { t } = useLingui()
  const { values } = form
  useCheckValues(values, values.algorithm, onMade)
  return (
    <>
      <SelectField
        label={t`Secure channel`}
        value={values.algorithm}
        words={{ AES: 'SCP03 (AES)', DES: 'SCP02 (3DES)' }}
        onChange={(algorithm) => form.set({ algorithm })}
      />
      <p className="muted">
        <Trans>
          Each key of a card is derived from the master key of the same name: with KDF3 for SCP03,
          with EMV or VISA2 for SCP02.
        </Trans>
      </p>
      <KeyFields form={form} algorithm={values.algorithm} made={made} />
    </>
  )
}
