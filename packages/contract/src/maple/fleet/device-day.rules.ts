/** Days of the counts of devices by state that are kept and can be read, today included (UTC). */
export const maxDeviceDays = 400
export const defaultDeviceDays = 90
