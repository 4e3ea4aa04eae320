/** The number of days, including today (UTC), for which counts of devices by state are kept. */
export const maxDeviceDays = 400
export const defaultDeviceDays = 90
