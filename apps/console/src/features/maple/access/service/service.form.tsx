import type { MapleService } from '@grove/contract/maple/access/service'
import {
  isServiceId,
  maxServiceIdLength,
  maxServiceNameLength,
} from '@grove/contract/maple/access/service.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { codeField, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import { services } from './service.api.ts'

interface ServiceValues {
  id: string
  name: string
}

export function CreateService(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem
      {...panel}
      items={services}
      title={t`New service provider`}
      submitLabel={t`Create`}
      savedText={({ name }) => t`${name} is added.`}
      fields={useServiceFields()}
      form={{
        values: { id: '', name: '' },
        submit: ({ id, name }) =>
          api.maple.post('/api/maple/service', { body: { id: id.trim(), name } }),
      }}
    />
  )
}

export function EditService({ service, onEnd }: { service: MapleService; onEnd: () => void }) {
  const { id: _, ...fields } = useServiceFields()
  return (
    <EditItem
      items={services}
      item={service}
      valuesOf={({ id, name }): ServiceValues => ({ id, name })}
      fields={fields}
      form={{
        submit: ({ id, name }, _from, ifMatch) =>
          api.maple.put('/api/maple/service', { query: { id }, ...ifMatch, body: { name } }),
      }}
      onEnd={onEnd}
    />
  )
}

function useServiceFields() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    name: {
      label: t`Name`,
      maxLength: maxServiceNameLength,
      autoComplete: 'off',
      problemOf: (name) => (name.trim() === '' ? t`Enter a name.` : nameProblem(name)),
    },
    id: {
      label: t`ID`,
      hint: t`Lower-case letters, digits and . _ - such as acme-wearables. It cannot be changed later.`,
      maxLength: maxServiceIdLength,
      problemOf: (id) =>
        isServiceId(id.trim())
          ? undefined
          : t`Begin with a lower-case letter or a digit; after that, . _ and - are also allowed.`,
      ...codeField,
    },
  } satisfies FormFields<ServiceValues>
}
