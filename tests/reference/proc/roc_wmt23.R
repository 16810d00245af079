# Areas, DeLong intervals and tests, and partial areas by pROC, for ../test_roc_proc.py.
#
#   Rscript tests/reference/proc/roc_wmt23.R FILE.csv > roc_wmt23.tsv
#
# FILE.csv has the columns system, error (0 or 1), and one per QE system, higher is better; see the test for how it is made.
suppressMessages(library(pROC))
data <- read.csv(commandArgs(TRUE)[1], check.names = FALSE)
cat("#", R.version.string, "pROC", as.character(packageVersion("pROC")), "\n")
cat("system\tquantity\tqe\tvalue\n")
show <- function(...) cat(paste(..., sep = "\t"), "\n", sep = "")
for (system in unique(data$system)) {
  own <- data[data$system == system, ]
  curves <- lapply(names(data)[-(1:2)], function(qe) roc(own$error, own[[qe]], direction = ">", quiet = TRUE))
  names(curves) <- names(data)[-(1:2)]
  for (qe in names(curves)) {
    limits <- ci.auc(curves[[qe]], method = "delong")
    show(system, "auc", qe, format(auc(curves[[qe]]), digits = 15))
    show(system, "delong_low", qe, format(limits[1], digits = 15))
    show(system, "delong_high", qe, format(limits[3], digits = 15))
    # A specificity from 1 to 0.8 is a false positive rate from 0 to 0.2.
    for (part in list(c("low", 1, 0.8), c("high", 0.2, 0))) {
      limits <- as.numeric(part[2:3])
      show(system, paste0("area_", part[1]), qe, format(auc(curves[[qe]], partial.auc = limits), digits = 15))
      standard <- auc(curves[[qe]], partial.auc = limits, partial.auc.correct = TRUE)
      show(system, paste0("mcclish_", part[1]), qe, format(standard, digits = 15))
    }
  }
  for (other in names(curves)[-1]) {
    test <- roc.test(curves[[1]], curves[[other]], method = "delong", paired = TRUE)
    show(system, paste0("p_delong_", names(curves)[1]), other, format(test$p.value, digits = 15))
  }
}
