import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/')({
  staticData: { title: msg`My apps` },
})
