import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/_app/dashboard/maple/devices/')({
  staticData: { title: msg`Devices` },
})
